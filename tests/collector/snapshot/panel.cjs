// SPDX-License-Identifier: MIT
//
// panel.cjs -- the Memory panel of Chrome's DevTools shows our snapshots
//
//    node panel.cjs <node_modules> <browser> <folder>
//
// Loads before.heapsnapshot and after.heapsnapshot of the folder, as panel.lua
// wrote them, by the panel's own button, chooses what a user would, reads what
// the panel shows, and saves it as panel-summary.png and panel-comparison.png.
const path = require('node:path')

const [modules, executablePath, folder] = process.argv.slice(2)
const puppeteer = require(path.join(modules, 'puppeteer-core'))

// Waits until `look` returns something, at most 20 s.
async function wait(what, look) {
  for (let i = 0; i < 100; i++) {
    const found = await look()
    if (found) return found
    await new Promise(resolve => setTimeout(resolve, 200))
  }
  throw new Error(`the panel does not show ${what}`)
}

// All elements of DevTools are in nested shadow trees.
const ELEMENTS = `(function all(root) {
  return [...root.querySelectorAll('*')].flatMap(e =>
    e.shadowRoot ? [e, ...all(e.shadowRoot)] : [e])
})(document)`

class Panel {
  constructor(page) { this.page = page }

  async find(condition) {
    const handle = await this.page.evaluateHandle(`${ELEMENTS}.find(e => ${condition})`)
    return handle.asElement()
  }

  element(what, condition) { return wait(what, () => this.find(condition)) }

  rows() {
    return this.page.evaluate(`${ELEMENTS}.filter(e => e.matches('tr')).map(row =>
      [...row.children].map(e => e.textContent.trim()).filter(Boolean).join(' '))`)
  }

  row(what, pattern) {
    return wait(what, async () => (await this.rows()).find(text => pattern.test(text)))
  }

  async load(name) {
    const input = await this.element('a button to load files',
      `e.matches('input[type=file]')`)
    await input.uploadFile(path.join(folder, name + '.heapsnapshot'))
    return this.element(name, `e.matches('li') &&
      /^${name}\\s*\\([\\d.,]+\\s*[kM]?B\\)/.test(e.textContent.trim())`)
  }

  async choose(label, option) {
    const list = await this.element(label,
      `e.matches('select') && e.getAttribute('aria-label') === '${label}'`)
    const value = await list.evaluate((e, text) =>
      [...e.options].find(o => o.textContent === text).value, option)
    await list.select(value)
  }

  picture(name) { return this.page.screenshot({path: path.join(folder, name)}) }
}

async function open(browser) {
  const inspected = await browser.newPage()
  await inspected.goto('data:text/html,inspected')
  const session = await inspected.createCDPSession()
  const {targetInfo} = await session.send('Target.getTargetInfo')
  const port = new URL(browser.wsEndpoint()).host
  const page = await browser.newPage()
  await page.goto('devtools://devtools/bundled/inspector.html?panel=heap-profiler' +
    `&ws=${port}/devtools/page/${targetInfo.targetId}`)
  const panel = new Panel(page)
  const screen = await panel.element('its buttons',
    `e.getAttribute('aria-label') === 'Toggle screencast'`)
  await screen.click()
  return panel
}

async function look(panel) {
  await panel.load('before')
  const after = await panel.load('after')
  await after.click()
  console.log(await panel.row('1,100 pages', /^Page\s*×1,100 /))
  await panel.picture('panel-summary.png')

  // What is new since the other snapshot, and who keeps one of it.
  await panel.choose('Perspective', 'Comparison')
  console.log(await panel.row('1,000 new pages', /^Page 1\D?000 0 \+1\D?000/))
  const group = await panel.element('the pages',
    `e.matches('tr') && /^Page/.test(e.textContent.trim())`)
  await group.click()
  await panel.page.keyboard.press('ArrowRight')
  await panel.row('a page', /^Page\s*@\d+/)
  await panel.page.keyboard.press('ArrowDown')
  console.log(await panel.row('the key', /^user:\d+\s*in\s*\{.*@\d+/))
  console.log(await panel.row('the variable', /^local 'pages' of .*in\s*main thread/))
  await panel.picture('panel-comparison.png')
}

(async () => {
  const browser = await puppeteer.launch({executablePath, headless: true,
    args: ['--no-sandbox', '--remote-allow-origins=*', '--remote-debugging-port=0'],
    defaultViewport: {width: 1200, height: 700}})
  try {
    const panel = await open(browser)
    await look(panel).catch(async error => {
      console.log((await panel.rows()).join('\n'))
      await panel.picture('panel-failed.png')
      throw error
    })
  } finally {
    await browser.close()
  }
})().catch(error => { console.log(error); process.exit(1) })
