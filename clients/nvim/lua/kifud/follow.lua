--- Keeps the board at the cursor: asks for it when the cursor or the text has rested for a moment.
local server = require('kifud.server')
local M = {}

--- The latest board and where it was: `{buffer, place, board}` or `{buffer, place, error}`.
M.here = nil

local listeners = {}
local asked = 0
local timer = nil

--- Calls `listener(here)` after every change.
function M.listen(listener)
  table.insert(listeners, listener)
end

local function publish(here)
  M.here = here
  for _, listener in ipairs(listeners) do
    listener(here)
  end
end

--- The window that shows a buffer; the current one first.
local function window_of(buffer)
  local current = vim.api.nvim_get_current_win()
  if vim.api.nvim_win_get_buf(current) == buffer then
    return current
  end
  local window = vim.fn.bufwinid(buffer)
  return window ~= -1 and window or nil
end

--- Asks for the board at the cursor of a record. Answers that come late are dropped.
function M.refresh(buffer)
  local window = vim.api.nvim_buf_is_valid(buffer) and window_of(buffer)
  if #listeners == 0 or not window or not server.client(buffer) then
    return
  end
  asked = asked + 1
  local turn, place = asked, server.at_cursor(window, buffer)
  server.request(buffer, 'record/board', place, function(board)
    if turn == asked then
      publish({ buffer = buffer, place = place, board = board })
    end
  end, function(message)
    if turn == asked then
      publish({ buffer = buffer, place = place, error = message })
    end
  end)
end

local function refresh_soon(buffer)
  timer = timer or vim.loop.new_timer()
  timer:start(server.options().debounce, 0, vim.schedule_wrap(function()
    M.refresh(buffer)
  end))
end

--- Follows a record from now on.
function M.attach(buffer)
  local group = vim.api.nvim_create_augroup('kifud_follow_' .. buffer, { clear = true })
  vim.api.nvim_create_autocmd(
    { 'BufEnter', 'CursorMoved', 'CursorMovedI', 'TextChanged', 'TextChangedI' },
    {
      group = group,
      buffer = buffer,
      callback = function()
        refresh_soon(buffer)
      end,
    }
  )
  M.refresh(buffer)
end

return M
