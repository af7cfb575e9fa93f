-- SPDX-License-Identifier: MIT
--
-- A web shop that keeps its sessions in memory, on Debian's lua-cqueues: a
-- coroutine for each connection, HTTP/1.1 with connections kept alive.
--
--     sessions.lua PORT SESSIONS
--
-- Listens on 127.0.0.1 when SESSIONS sessions exist.  Paths: /login?name=,
-- /view?item=, /buy?item=, /logout.  The first line of a page is a comment with
-- the action, the session, its visits and the items bought.  The client
-- compares it with its own data.
local cqueues = require "cqueues"
local socket = require "cqueues.socket"

local port, wanted = tonumber(arg[1]), tonumber(arg[2])
local PRODUCTS, HISTORY, CART = 5000, 10, 20

local products = {}
for i = 0, PRODUCTS - 1 do
  products[i] = {
    name = ("Thing no. %d <new & shiny>"):format(i),
    price = (i * 37 % 9000 + 99) / 100,
  }
end

local sessions = {}             -- by token
local last_token = 0

local function new_session(name)
  last_token = last_token + 1
  local token = "s" .. last_token
  local session = {
    token = token, name = name, visits = 0, bought = 0,
    since = os.time(), seen = os.time(),
    history = {},               -- the last items viewed
    cart = {},                  -- the last items bought
    settings = { language = "en", currency = "EUR", page = 10 },
  }
  sessions[token] = session
  return session
end

-- Adds an entry and removes the oldest one if there are too many.
local function remember(list, entry, most)
  if #list == most then table.remove(list, 1) end
  list[#list + 1] = entry
end

local escapes = { ["<"] = "&lt;", [">"] = "&gt;", ["&"] = "&amp;" }
local function escape(text) return (text:gsub("[<>&]", escapes)) end

local function render(action, session)
  local page = {
    ("<!-- %s %s %d %d -->"):format(action, session.token, session.visits,
      session.bought),
    "<html><head><title>The shop</title></head><body>",
    ("<h1>Welcome, %s</h1><ul>"):format(escape(session.name)),
  }
  for _, entry in ipairs(session.history) do
    page[#page + 1] = ("<li>%s: %.2f %s</li>"):format(
      escape(entry.product.name), entry.product.price,
      session.settings.currency)
  end
  page[#page + 1] = "</ul><ol>"
  local sum = 0
  for _, entry in ipairs(session.cart) do
    sum = sum + entry.product.price
    page[#page + 1] = ("<li>%s, %.2f</li>"):format(
      escape(entry.product.name), entry.product.price)
  end
  page[#page + 1] = ("</ol><p>In all: %.2f %s</p></body></html>\n"):format(
    sum, session.settings.currency)
  return table.concat(page, "\n")
end

local actions = {}

function actions.login(_, query)
  return new_session(query.name)
end

function actions.logout(session)
  sessions[session.token] = nil
  return session
end

-- A visit that puts a product on one of the session's lists.
local function visit(session, query, list, most)
  session.visits = session.visits + 1
  session.seen = os.time()
  remember(list,
    { product = products[tonumber(query.item)], at = session.seen }, most)
  return session
end

function actions.view(session, query)
  return visit(session, query, session.history, HISTORY)
end

function actions.buy(session, query)
  session.bought = session.bought + 1
  return visit(session, query, session.cart, CART)
end

local function parse_query(text)
  local query = {}
  for key, value in text:gmatch("([^&=]+)=([^&]*)") do
    query[key] = value
  end
  return query
end

local function answer(request)
  local token = (request.headers.cookie or ""):match("session=(%w+)")
  local session = token and sessions[token]
  local action = actions[request.action]
  if not action or not session and request.action ~= "login" then
    return "404 Not Found", "<!-- none -->\n"
  end
  return "200 OK", render(request.action, action(session, request.query))
end

-- The next request of a connection, or nil at its end.
local function read_request(connection)
  local line = connection:read("*l")
  if not line then return nil end
  local action, query = line:match("^GET /(%w*)%??(%S*) HTTP/1%.1")
  local request = { action = action, query = parse_query(query or ""),
    headers = {} }
  while true do
    line = connection:read("*l")
    if not line then return nil end
    local name, value = line:match("^([%w-]+):%s*(.-)%s*$")
    if not name then return request end
    request.headers[name:lower()] = value
  end
end

local function serve(connection)
  connection:setmode("b", "bf")
  connection:setvbuf("full", 65536)
  while true do
    local request = read_request(connection)
    if not request then break end
    local status, page = answer(request)
    connection:write("HTTP/1.1 ", status,
      "\r\nContent-Type: text/html\r\nContent-Length: ", #page, "\r\n\r\n",
      page)
    connection:flush()
  end
  connection:close()
end

-- Makes the initial sessions before the clients connect.
for i = 1, wanted do
  local session = new_session("visitor" .. i)
  for k = 1, HISTORY // 2 + i % (HISTORY // 2) do
    remember(session.history,
      { product = products[(i + k * 7) % PRODUCTS], at = session.since },
      HISTORY)
  end
end

local loop = cqueues.new()
local server = assert(socket.listen("127.0.0.1", port))
loop:wrap(function()
  while true do
    -- A page is one write, which must not wait for the acknowledgment of
    -- another.
    local connection = assert(server:accept { nodelay = true })
    loop:wrap(function() serve(connection) end)
  end
end)
assert(server:listen())
assert(loop:loop())
