// SPDX-License-Identifier: MIT
//
// catapult.cjs -- the importer of chrome://tracing reads a trace
//
//    node catapult.cjs <node_modules> <trace.json> <number of steps>
//
// The package asks a program in Python 2 where its sources are; we know.
const assert = require('node:assert')
const fs = require('node:fs')
const [modules, file, steps] = process.argv.slice(2)
const root = modules + '/traceviewer'
const folders = ['tracing', 'tracing/third_party', 'third_party/mapreduce',
  'perf_insights', 'tracing/third_party/jszip', 'tracing/third_party/gl-matrix/dist',
  'third_party/gl-matrix/dist', 'tracing/third_party/gl-matrix/src',
  'tracing/third_party/d3', 'tracing/third_party/chai', 'tracing/third_party/mocha']
require('node:child_process').execFileSync = () => JSON.stringify(
  folders.map(name => `${root}/${name}`).filter(path => fs.existsSync(path)))
const tr = require(root)
const model = new tr.Model()
new tr.importer.Import(model).importTraces([fs.readFileSync(file, 'utf8')])
assert.deepEqual(model.importWarnings, [])
const names = {}
for (const process of Object.values(model.processes)) {
  for (const thread of Object.values(process.threads)) {
    for (const slice of thread.sliceGroup.slices) {
      names[slice.title] = (names[slice.title] || 0) + 1
    }
  }
}
assert.equal(names.step, Number(steps))
console.log('catapult: ok,', names.step, 'steps')
