--- An engine that looks at the position at the cursor.
local board = require('kifud.board')
local draw = require('kifud.draw')
local follow = require('kifud.follow')
local server = require('kifud.server')
local M = {}

local engines = {} -- engine ids by name, as attached
local running = nil -- {buffer, engine, subscription, target}
local listening = false
local turning = false

--- What makes a position another one for an engine.
local function position_of(here)
  local shown = here.board
  return vim.inspect({ shown.node, shown.stones, shown.toPlay, shown.komi })
end

--- Sends the analysis to where the cursor is. One journey at a time: the next starts at its end.
local function turn(here)
  if turning or not running or not running.subscription or here.error or here.buffer ~= running.buffer then
    return
  end
  local target = position_of(here)
  if target == running.target then
    return
  end
  running.target, turning = target, true
  local function arrived(message)
    turning = false
    if message then
      return board.show_analysis({ message })
    end
    turn(follow.here)
  end
  local params = { subscription = running.subscription, position = here.place }
  server.request(here.buffer, 'analysis/retarget', params, function()
    arrived()
  end, arrived)
end

local function analyze(here, name, id)
  running = { buffer = here.buffer, engine = name, target = position_of(here) }
  local params = { engineId = id, position = here.place, interval = 50, writeBack = 'end' }
  server.request(here.buffer, 'engine/analyze', params, function(subscription)
    running.subscription = subscription
    turn(follow.here)
  end, function(message)
    running = nil
    server.complain(message)
  end)
end

local function attach(here, name)
  if engines[name] then
    return analyze(here, name, engines[name])
  end
  board.show_analysis({ 'Starting ' .. name })
  server.request(here.buffer, 'engine/attach', { name = name }, function(attached)
    engines[name] = attached.engine.id
    analyze(here, name, attached.engine.id)
  end, function(message)
    board.show_analysis({})
    server.complain(message)
  end)
end

--- Analyses with a configured engine, the first when none is named.
function M.start(name)
  local buffer = vim.api.nvim_get_current_buf()
  if not listening then
    listening = true
    follow.listen(turn)
  end
  board.open()
  local place = server.at_cursor(0, buffer)
  server.request(buffer, 'record/board', place, function(shown)
    local here = { buffer = buffer, place = place, board = shown }
    if name then
      return attach(here, name)
    end
    server.request(buffer, 'engine/list', vim.empty_dict(), function(list)
      local first = list.configured[1]
      if not first then
        return server.complain('no engine is configured; name a settings file in vim.g.kifud.config')
      end
      attach(here, first.name)
    end)
  end)
end

--- Ends the analysis; the daemon then writes the values into the record.
function M.stop()
  if running and running.subscription then
    server.request(running.buffer, 'engine/stop', { subscription = running.subscription }, function() end)
  end
end

--- An event of `analysis/update`.
function M.update(update)
  if not running or update.subscription ~= running.subscription then
    return
  end
  local event = update.result
  board.show_analysis(draw.analysis(running.engine, event))
  if event.state == 'ended' then
    if event.reason == 'engineExited' then
      engines[running.engine] = nil
    end
    running = nil
  end
end

--- The daemon has ended, and with it every engine.
function M.forget()
  engines, running, turning = {}, nil, false
end

--- Names of the configured engines, for completion.
function M.engine_names()
  local buffer = vim.api.nvim_get_current_buf()
  local answers = vim.lsp.buf_request_sync(buffer, 'engine/list', vim.empty_dict(), 1000) or {}
  for _, answer in pairs(answers) do
    if answer.result then
      return vim.tbl_map(function(engine)
        return engine.name
      end, answer.result.configured)
    end
  end
  return {}
end

return M
