// SPDX-License-Identifier: MIT
//
// vscode.cjs -- sessions with the client that VS Code's adapters are tested with
//
//    node vscode.cjs <node_modules> <penumbra> <program.lua> [session...]
//
// DebugClient checks the protocol by itself: the order of events, the form of
// responses, and that breakpoints are verified or reported later. Here is all
// that a user of an editor does: breakpoints with conditions, hits and messages;
// steps; pause; errors; coroutines; variables of every kind, changed as well;
// expressions; a new version of a function; a program that runs already.
const assert = require('node:assert')
const fs = require('node:fs')
const path = require('node:path')
const {spawn} = require('node:child_process')
const [modules, penumbra, program, ...chosen] = process.argv.slice(2)
const {DebugClient} = require(modules + '/@vscode/debugadapter-testsupport')

const PATIENCE = 60000
const lines = fs.readFileSync(program, 'utf8').split('\n')
const line = mark => {
  const at = lines.findIndex(text => text.endsWith('-- ' + mark))
  assert.notEqual(at, -1, 'no line ' + mark)
  return at + 1
}

// The client, and the request arguments that a user's clicks stand for.
class User {
  constructor(client) { this.client = client; this.thread = 1 }

  // Launches the program with breakpoints: [mark or {line, ...}, ...]; an
  // editor sets them between the event `initialized` and configurationDone.
  async launch(breakpoints, filters = [], more = {}) {
    const {client} = this
    await Promise.all([
      client.waitForEvent('initialized', PATIENCE).then(async () => {
        await this.set(breakpoints, more.program)
        await client.setExceptionBreakpointsRequest({filters})
        await client.configurationDoneRequest()
      }),
      client.launch({program, ...more}),
    ])
  }

  async set(breakpoints, file = program) {
    const answer = await this.client.setBreakpointsRequest({
      source: {path: file},
      breakpoints: breakpoints.map(b => typeof b == 'object' ? b : {line: line(b)}),
    })
    return answer.body.breakpoints
  }

  // Waits for a stop, and looks at its stack.
  async stopped(reason, mark) {
    const event = await this.client.waitForEvent('stopped', PATIENCE)
    assert.equal(event.body.reason, reason, JSON.stringify(event.body))
    this.thread = event.body.threadId
    this.frames = await this.stack(this.thread)
    if (mark !== undefined)
      assert.equal(this.frames[0].line, typeof mark == 'number' ? mark : line(mark))
    return event.body
  }

  // Launches, and waits for the first stop.
  async begin(breakpoints, reason, mark, filters, more) {
    const stop = this.stopped(reason, mark)
    await this.launch(breakpoints, filters, more)
    return stop
  }

  // Continues or steps, and waits for the next stop.
  async go(how, reason, mark) {
    const stop = this.stopped(reason, mark)
    await this.client[how + 'Request']({threadId: this.thread})
    return stop
  }

  async stack(threadId) {
    return (await this.client.stackTraceRequest({threadId})).body.stackFrames
  }

  async scopes(frame = this.frames[0]) {
    const {scopes} = (await this.client.scopesRequest({frameId: frame.id})).body
    return Object.fromEntries(scopes.map(s => [s.name, s.variablesReference]))
  }

  async variables(variablesReference, more) {
    const {variables} =
      (await this.client.variablesRequest({variablesReference, ...more})).body
    return Object.fromEntries(variables.map(v => [v.name, v]))
  }

  async value(expression, context = 'watch', frame = this.frames[0]) {
    const answer = await this.client.evaluateRequest(
      {expression, context, frameId: frame.id})
    return answer.body.result
  }

  async assign(variablesReference, name, value) {
    const answer = await this.client.setVariableRequest(
      {variablesReference, name, value})
    return answer.body.value
  }

  // Lets the program run to its end, and waits for what it wrote.
  async finish(output) {
    await this.set([])
    await this.client.setExceptionBreakpointsRequest({filters: []})
    const end = [this.client.waitForEvent('terminated', PATIENCE)]
    if (output) end.push(this.client.assertOutput('stdout', output, PATIENCE))
    await this.client.continueRequest({threadId: this.thread})
    await Promise.all(end)
  }

  async terminate() {
    await Promise.all([
      this.client.terminateRequest({}),
      this.client.waitForEvent('exited', PATIENCE),
    ])
  }
}

const values = variables =>
  Object.fromEntries(Object.entries(variables).map(([name, v]) => [name, v.value]))

const sessions = {
  // As the client itself starts a program: not verified until it is loaded.
  async breakpoint(user) {
    await user.client.hitBreakpoint({program}, {path: program, line: line('inner'),
                                                verified: false})
    user.frames = await user.stack(1)
    assert.deepEqual(user.frames.map(f => f.name).slice(0, 3), ['inner', 'outer', 'main chunk'])
    assert.equal(await user.value('a + b'), '3')
    await user.finish('r 3\n')
  },

  async entry(user) {
    await user.begin([], 'entry', undefined, [], {stopOnEntry: true})
    const set = await user.set(['coroutine', 'inner'])
    assert.ok(set.every(b => b.verified))
    await user.go('continue', 'breakpoint', 'inner')
    await user.terminate()
  },

  async conditions(user) {
    let log = ''
    user.client.on('output', e => { if (e.body.category == 'console') log += e.body.output })
    await user.begin([{line: line('inner'), condition: 'a == 4'},
                      {line: line('after call'), hitCondition: '% 3'},
                      {line: line('loop'), logMessage: 'i is {i}, {i + 1}'}],
                     'breakpoint', 'after call')
    assert.equal(await user.value('x'), '3')
    await user.go('continue', 'breakpoint', 'inner')
    assert.equal(await user.value('a'), '4')
    await user.go('continue', 'breakpoint', 'after call')
    assert.equal(await user.value('x'), '6')
    await user.finish()
    assert.equal(log, [1, 2, 3, 4, 5, 6].map(i => `i is ${i}, ${i + 1}\n`).join(''))
  },

  async functions(user) {
    await user.begin(['global function'], 'breakpoint', 'global function')
    await user.go('next', 'step', line('global function') + 1)
    await user.set([])
    const answer = await user.client.setFunctionBreakpointsRequest(
      {breakpoints: [{name: 'global_function'}, {name: 'print'}]})
    assert.deepEqual(answer.body.breakpoints.map(b => b.verified), [true, false])
    await user.go('continue', 'function breakpoint', 'global function')
    assert.equal(await user.value('a'), '1')
    await user.terminate()
  },

  async steps(user) {
    await user.begin(['call', 'step one'], 'breakpoint', 'call')
    await user.go('stepIn', 'step', line('inner') - 1)
    assert.equal(user.frames[0].name, 'inner')
    await user.go('next', 'step', 'inner')
    await user.go('stepOut', 'step', 'after call')
    await user.go('next', 'step', line('after call') + 1)
    await user.go('next', 'step', line('loop') + 1)
    await user.set(['step one'])
    await user.go('continue', 'breakpoint', 'step one')
    await user.go('next', 'step', 'step two')
    await user.go('next', 'step', 'step three')
    await user.finish()
  },

  async coroutines(user) {
    await user.begin(['resume', 'resumed'], 'breakpoint', 'resume')
    await user.go('stepIn', 'step', 'coroutine')
    const {threads} = (await user.client.threadsRequest()).body
    assert.equal(threads.length, 2)
    const main = threads.find(t => t.name == 'main')
    const below = (await user.stack(main.id)).find(f => f.name == 'main chunk')
    assert.equal(below.line, line('resume'))
    assert.equal(await user.value('count', 'watch', below), '6')
    assert.equal(await user.value('a'), '10')
    // Out of it by a yield, and a look into it while it is suspended.
    await user.go('next', 'step', 'yield')
    await user.go('next', 'step', 'resume')
    await user.go('next', 'step', 'resume again')
    const waiting = (await user.client.threadsRequest()).body.threads
      .find(t => t.name != 'main')
    const frames = await user.stack(waiting.id)
    const last = frames[frames.length - 1]
    assert.equal(last.line, line('yield'))
    const {Locals} = await user.scopes(last)
    assert.equal((await user.variables(Locals)).y.value, '11')
    await user.go('continue', 'breakpoint', 'resumed')
    await user.terminate()
  },

  async variables(user) {
    await user.begin(['inner return', 'chunk'], 'breakpoint', 'inner return')
    let scopes = await user.scopes()
    assert.deepEqual(Object.keys(scopes), ['Locals', 'Upvalues', 'Globals'])
    assert.deepEqual(values(await user.variables(scopes.Locals)),
                     {a: '1', b: '2', '...[1]': '"va"', '...[2]': '1'})
    assert.equal((await user.variables(scopes.Upvalues)).count.value, '1')
    assert.ok('print' in await user.variables(scopes.Globals))
    await user.set(['chunk'])
    await user.go('continue', 'breakpoint', 'chunk')
    scopes = await user.scopes()
    const {t, big} = await user.variables(scopes.Locals)
    const fields = await user.variables(t.variablesReference)
    assert.deepEqual(['[1]', '[3]', 'name', '["two words"]'].map(n => fields[n].value),
                     ['1', '3', '"x"', '2'])
    assert.equal((await user.variables(fields.nested.variablesReference)).a.value, '1')
    const meta = await user.variables(fields['[metatable]'].variablesReference)
    assert.equal(meta.__name.value, '"Thing"')
    // A large table comes in pages.
    assert.equal(big.indexedVariables, 1000)
    const page = await user.variables(big.variablesReference,
                                      {filter: 'indexed', start: 500, count: 100})
    assert.equal(Object.keys(page).length, 100)
    assert.equal(page['[501]'].value, String(501 * 501))
    const named = await user.variables(big.variablesReference, {filter: 'named'})
    const rest = await user.variables(named['...'].variablesReference)
    const keys = [...Object.keys(named), ...Object.keys(rest)].filter(n => n.startsWith('key'))
    assert.equal(new Set(keys).size, 600)
    await user.terminate()
  },

  async assignments(user) {
    await user.begin(['inner return', 'chunk'], 'breakpoint', 'inner return')
    const {Locals, Upvalues} = await user.scopes()
    assert.equal(await user.assign(Locals, 'b', 'a + 99'), '100')
    assert.equal(await user.assign(Locals, '...[1]', "'other'"), '"other"')
    assert.equal(await user.assign(Upvalues, 'count', '50'), '50')
    assert.equal(await user.value('b, count, ...'), '100\t50\t"other"\t1')
    await user.value('b = b + 1; new_global = 3', 'repl')
    assert.equal(await user.value('b, new_global'), '101\t3')
    assert.equal(await user.value('x', 'hover', user.frames[1]), '1')
    await assert.rejects(user.value('b = 1', 'hover'))
    await assert.rejects(user.value('nothing.x'), /nil value/)
    const set = await user.client.customRequest('setExpression',
      {frameId: user.frames[1].id, expression: 'x', value: '77'})
    assert.equal(set.body.value, '77')
    await user.set(['chunk'])
    await user.go('continue', 'breakpoint', 'chunk')
    const {t} = await user.variables((await user.scopes()).Locals)
    assert.equal(await user.assign(t.variablesReference, '["two words"]', '{1}'), '{1}')
    assert.equal(await user.assign(t.variablesReference, '[2]', "'two'"), '"two"')
    assert.equal(await user.value("t[2], #t['two words']"), '"two"\t1')
    await user.finish()
  },

  async pause(user) {
    const file = path.join(path.dirname(program), 'endless.lua')
    fs.writeFileSync(file, 'local n = 0\nwhile not done do\n  n = n + 1\nend\nprint("done")\n')
    await user.launch([], [], {program: file})
    await new Promise(ready => setTimeout(ready, 200))
    await user.go('pause', 'pause')
    assert.ok(Number(await user.value('n')) > 0)
    // A breakpoint in the loop that runs.
    const [set] = await user.set([{line: 3}], file)
    assert.ok(set.verified)
    await user.go('continue', 'breakpoint', 3)
    await user.set([], file)
    await user.value('done = true', 'repl')
    await user.finish('done\n')
  },

  async exceptions(user) {
    const {body} = await user.client.initializeRequest()
    assert.deepEqual(body.exceptionBreakpointFilters.map(f => f.filter),
                     ['caught', 'uncaught'])
    const stop = user.stopped('exception')
    await Promise.all([
      user.client.waitForEvent('initialized', PATIENCE).then(async () => {
        await user.client.setExceptionBreakpointsRequest({filters: ['caught', 'uncaught']})
        await user.client.configurationDoneRequest()
      }),
      user.client.launchRequest({program}),
    ])
    assert.match((await stop).text, /program\.lua:\d+: caught "error"\n\\ of two lines$/)
    assert.equal(user.frames[1].line, line('caught'))
    assert.equal((await user.go('continue', 'exception')).text, '{code = 7}')
    const info = await user.client.exceptionInfoRequest({threadId: user.thread})
    assert.equal(info.body.description, '{code = 7}')
    await user.finish()
  },

  async uncaught(user) {
    const stop = await user.begin([], 'exception', undefined, ['uncaught'])
    assert.equal(stop.text, '{code = 7}')
    assert.equal(user.frames[1].line, line('uncaught'))
    await user.finish()
  },

  async text(user) {
    await user.begin(['chunk'], 'breakpoint', 'chunk')
    await user.go('stepIn', 'step', 1)
    const {source} = user.frames[0]
    const {content} = (await user.client.sourceRequest(
      {source, sourceReference: source.sourceReference})).body
    assert.equal(content, 'local p = ...\nlocal q = p + 1\nreturn q')
    await user.terminate()
  },

  async reload(user) {
    const file = path.join(path.dirname(program), 'reloaded.lua')
    fs.copyFileSync(program, file)
    await user.begin(['reload', 'reload again'], 'breakpoint', 'reload', [], {program: file})
    fs.writeFileSync(file, lines.join('\n').replace('return "old"', 'return "new" .. reloaded'))
    const answer = await user.client.customRequest('penumbra/reload',
      {source: {path: file}, line: line('reload')})
    assert.equal(answer.body.functions, 1)
    await user.set([], file)
    await user.finish('before old\nafter new2\n')
  },

  // A program that runs already, with --debug.
  async attach(user) {
    const file = path.join(path.dirname(program), 'waiting.lua')
    fs.writeFileSync(file, 'n = 0\nwhile not done do\n  n = n + 1\nend\nprint("end")\n')
    const running = spawn(penumbra, ['--debug=0', file], {stdio: ['ignore', 'pipe', 'pipe']})
    try {
      let output = ''
      running.stdout.on('data', text => { output += text })
      const port = await new Promise(found => running.stderr.on('data', text => {
        const number = /(\d+)\s*$/.exec(String(text))
        if (number) found(Number(number[1]))
      }))
      const ended = new Promise(end => running.on('close', end))
      const stop = user.stopped('breakpoint', 3)
      await Promise.all([
        user.client.waitForEvent('initialized', PATIENCE).then(async () => {
          await user.set([{line: 3}], file)
          await user.client.configurationDoneRequest()
        }),
        user.client.initializeRequest().then(() => user.client.attachRequest({port})),
      ])
      await stop
      await user.value('done = 1', 'repl')
      await user.client.stop() // which disconnects
      user.has_left = true
      assert.equal(await ended, 0)
      assert.equal(output, 'end\n')
    } finally {
      if (running.exitCode === null) running.kill()
    }
  },
}

async function run(body) {
  const client = new DebugClient(penumbra, '--debug-adapter', 'penumbra')
  client.defaultTimeout = PATIENCE
  await client.start()
  const user = new User(client)
  await body(user)
  if (!user.has_left) await client.stop()
}

process.exitCode = 1 // if it ends without an answer
async function main() {
  for (const name of chosen.length ? chosen : Object.keys(sessions)) {
    await run(sessions[name])
    console.log('vscode:', name, 'ok')
  }
  process.exit(0)
}
main().catch(error => { console.error(error); process.exit(1) })
