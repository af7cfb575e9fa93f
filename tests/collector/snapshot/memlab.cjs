// SPDX-License-Identifier: MIT
//
// memlab.cjs -- memlab reads what tools.lua has written
//
//    node memlab.cjs <node_modules> <second> <id> <retained>
const assert = require('node:assert')
const [modules, second, id, retained] = process.argv.slice(2)
const {getFullHeapFromFile} = require(modules + '/@memlab/heap-analysis')
const {analysis} = require(modules + '/@memlab/core')

async function main() {
  const snapshot = await getFullHeapFromFile(second)
  analysis.preparePathFinder(snapshot)
  const object = snapshot.getNodeById(Number(id))
  assert.equal(object.name, 'Kept')
  assert.equal(object.retainedSize, Number(retained))
  const path = []
  for (let node = object; node.hasPathEdge; node = node.pathEdge.fromNode) {
    path.unshift(node.pathEdge.name_or_index)
  }
  assert.equal(path.join(' / '), 'registry / _G / handler / listeners / value / 1')
  console.log('\nmemlab: ok')
  process.exit(0)
}
main().catch(error => {
  console.error(error)
  process.exit(1)
})
