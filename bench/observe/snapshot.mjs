// SPDX-License-Identifier: MIT
//
// snapshot.mjs -- what a heap snapshot costs a program on V8
//
//    node --max-old-space-size=16000 bench/observe/snapshot.mjs [objects [file]]
//
// The heap of snapshot.lua. The program waits until the snapshot is written.
import {readFileSync, rmSync} from 'node:fs'
import {writeHeapSnapshot} from 'node:v8'

const count = Number(process.argv[2] ?? 1000000)
const file = process.argv[3]

function peak() {
  const text = readFileSync('/proc/self/status', 'utf8')
  return Number(/^VmHWM:\s+(\d+)/m.exec(text)[1]) / 1024
}

const heap = []
for (let i = 0; i < count; i++) heap.push({first: i, name: 'n' + i % 1000})
const before = peak()
const began = performance.now()
const written = writeHeapSnapshot(file)
const seconds = (performance.now() - began) / 1000
console.log(`${heap.length} objects: the program waits ${seconds.toFixed(2)} s; ` +
  `peak memory ${before.toFixed(0)} MB before, ${peak().toFixed(0)} MB after ` +
  `(${(peak() / before - 1).toFixed(2)})`)
if (!file) rmSync(written)
