// SPDX-License-Identifier: MIT
//
// vscode.cjs -- a session with the client that VS Code's adapters are tested with
//
//    node vscode.cjs <node_modules> <penumbra> <program.lua>
//
// DebugClient checks the protocol by itself: the order of events, the form of
// responses, and that breakpoints are verified or reported later.
const assert = require('node:assert')
const fs = require('node:fs')
const [modules, penumbra, program] = process.argv.slice(2)
const {DebugClient} = require(modules + '/@vscode/debugadapter-testsupport')

const lines = fs.readFileSync(program, 'utf8').split('\n')
const line = mark => 1 + lines.findIndex(text => text.endsWith('-- ' + mark))

async function session(body) {
  const client = new DebugClient(penumbra, '--debug-adapter', 'penumbra')
  client.defaultTimeout = 60000
  await client.start()
  await body(client)
  await client.stop()
}

const value = async (client, frameId, expression) =>
  (await client.evaluateRequest({expression, frameId, context: 'watch'})).body.result

async function breakpoint(client) {
  // not verified until the program has been loaded
  await client.hitBreakpoint({program}, {path: program, line: line('inner'),
                                         verified: false})
  const frames = (await client.stackTraceRequest({threadId: 1})).body.stackFrames
  assert.deepEqual(frames.slice(0, 2).map(f => f.name), ['inner', 'outer'])
  const scopes = (await client.scopesRequest({frameId: frames[0].id})).body.scopes
  assert.deepEqual(scopes.map(s => s.name), ['Locals', 'Upvalues', 'Globals'])
  const locals = (await client.variablesRequest(
    {variablesReference: scopes[0].variablesReference})).body.variables
  assert.deepEqual(locals.map(v => [v.name, v.value]),
                   [['a', '1'], ['b', '2'], ['...[1]', '"va"'], ['...[2]', '1']])
  const set = await client.setVariableRequest(
    {variablesReference: scopes[0].variablesReference, name: 'b', value: '40 + 2'})
  assert.equal(set.body.value, '42')
  assert.equal(await value(client, frames[0].id, 'a + b'), '43')
  await client.setBreakpointsRequest({source: {path: program}, breakpoints: []})
  await Promise.all([
    client.stepOutRequest({threadId: 1}),
    client.assertStoppedLocation('step', {path: program, line: line('after call')}),
  ])
  await Promise.all([
    client.nextRequest({threadId: 1}),
    client.assertStoppedLocation('step', {path: program, line: line('after call') + 1}),
  ])
  await Promise.all([
    client.continueRequest({threadId: 1}),
    client.assertOutput('stdout', 'r 43\n', 60000),
    client.waitForEvent('terminated', 60000),
  ])
}

async function entry(client) {
  await Promise.all([
    client.configurationSequence(),
    client.launch({program, stopOnEntry: true}),
    client.waitForEvent('stopped', 60000).then(event =>
      assert.equal(event.body.reason, 'entry')),
  ])
  const {breakpoints} = (await client.setBreakpointsRequest({source: {path: program},
    breakpoints: [{line: line('coroutine')}, {line: line('inner'), condition: 'a == 5'},
                  {line: line('loop'), logMessage: 'r is {r}'}]})).body
  assert.ok(breakpoints.every(b => b.verified))
  await Promise.all([
    client.continueRequest({threadId: 1}),
    client.assertStoppedLocation('breakpoint', {path: program, line: line('inner')}),
  ])
  await Promise.all([
    client.continueRequest({threadId: 1}),
    client.waitForEvent('stopped', 60000).then(event =>
      assert.equal(event.body.reason, 'breakpoint')),
  ])
  const threads = (await client.threadsRequest()).body.threads
  assert.equal(threads.length, 2)
  await Promise.all([
    client.terminateRequest({}),
    client.waitForEvent('exited', 60000),
  ])
}

async function exception(client) {
  await Promise.all([
    client.waitForEvent('initialized', 60000).then(async () => {
      await client.setExceptionBreakpointsRequest({filters: ['caught', 'uncaught']})
      await client.configurationDoneRequest()
    }),
    client.launch({program}),
    client.waitForEvent('stopped', 60000).then(event => {
      assert.equal(event.body.reason, 'exception')
      assert.match(event.body.text, /caught error/)
    }),
  ])
  await Promise.all([
    client.continueRequest({threadId: 1}),
    client.waitForEvent('stopped', 60000).then(event =>
      assert.equal(event.body.text, '{code = 7}')),
  ])
}

async function main() {
  for (const body of [breakpoint, entry, exception]) {
    await session(body)
    console.log('vscode:', body.name, 'ok')
  }
  process.exit(0)
}
main().catch(error => { console.error(error); process.exit(1) })
