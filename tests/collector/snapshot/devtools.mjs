// SPDX-License-Identifier: MIT
//
// devtools.mjs -- DevTools' own code reads what tools.lua has written
//
//    node devtools.mjs <toolkit> <first> <second> <bytes> <nodes> <id> <retained>
//      <id of a weak key>
import assert from 'node:assert'
import {createReadStream} from 'node:fs'
import {pathToFileURL} from 'node:url'

if (!Promise.withResolvers) {
  Promise.withResolvers = () => {
    const d = {}
    d.promise = new Promise((resolve, reject) => Object.assign(d, {resolve, reject}))
    return d
  }
}
const [toolkit, first, second, ...numbers] = process.argv.slice(2)
const [bytes, nodes, id, retained, key] = numbers.map(Number)
const {parse, diff} = await import(pathToFileURL(toolkit))
const load = file => parse(createReadStream(file, 'utf-8'))
const snapshot = await load(second)
assert.equal(snapshot.nodeCount, nodes)
assert.equal(snapshot.totalSize, bytes)

// Every node has a distance: none is out of reach.
const node = snapshot.rootNode()
const fields = snapshot.nodeFieldCount
let found = 0
for (let i = 0; i < nodes; i++) {
  node.nodeIndex = i * fields
  assert.ok(node.distance() >= 0 && node.distance() < 1e8, `node ${i}: ${node.distance()}`)
  if (node.id() === id) {
    found++
    assert.equal(node.name(), 'Kept')
    assert.equal(node.retainedSize(), retained)
  }
  if (node.id() === key) {
    found++
    assert.ok(node.retainedSize() > 3000, `weak key retains ${node.retainedSize()}`)
  }
}
assert.equal(found, 2)

const changes = await diff(await load(first), await load(second))
const by = {}
for (const change of Object.values(changes)) by[change.name] = change
assert.equal(by.Fresh.addedCount, 40)
assert.equal(by.Fresh.removedCount, 0)
assert.equal(by.Reborn.addedCount, 30)
assert.equal(by.Gone.removedCount, 30)
assert.equal(by.Gone.addedCount, 0)
assert.equal(by.Kept, undefined)
console.log('devtools: ok')
