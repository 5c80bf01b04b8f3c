--- The daemon: started for records, asked by the other modules.
--- Neovim 0.11 has a way of its own to configure servers; older ones are served by branches.
local M = {}

local recent = vim.fn.has('nvim-0.11') == 1
local name = 'kifud'

--- The user's options, `vim.g.kifud`.
function M.options()
  return vim.tbl_extend('keep', vim.g.kifud or {}, {
    path = 'kifud', -- the program
    config = nil, -- its settings file, which names the engines
    ascii = false, -- X and O instead of ● and ○
    debounce = 50, -- milliseconds of rest before the board follows the cursor
  })
end

local function command()
  local options = M.options()
  local line = { options.path, 'serve', '--stdio' }
  if options.config then
    vim.list_extend(line, { '--config', vim.fn.expand(options.config) })
  end
  return line
end

local function config()
  return {
    name = name,
    cmd = command(),
    filetypes = { 'sgf' },
    on_attach = function(_, buffer)
      require('kifud.follow').attach(buffer)
    end,
    on_exit = vim.schedule_wrap(function()
      require('kifud.analysis').forget()
    end),
    handlers = {
      ['analysis/update'] = function(_, update)
        require('kifud.analysis').update(update)
      end,
    },
  }
end

local function start(buffer)
  local settings = config()
  settings.root_dir = vim.fn.fnamemodify(vim.api.nvim_buf_get_name(buffer), ':p:h')
  if vim.lsp.start then
    vim.lsp.start(settings, { bufnr = buffer })
    return
  end
  M.id = M.id or vim.lsp.start_client(settings)
  vim.lsp.buf_attach_client(buffer, M.id)
end

--- Starts the daemon with the first record.
function M.enable()
  local path = M.options().path
  vim.api.nvim_create_autocmd('FileType', {
    pattern = 'sgf',
    callback = function(event)
      if vim.fn.executable(path) == 0 then
        M.complain(('%s is not there or cannot be run; set vim.g.kifud = { path = ... }'):format(path))
      elseif not recent then
        start(event.buf)
      end
    end,
  })
  if recent and vim.fn.executable(path) == 1 then
    vim.lsp.config(name, vim.tbl_extend('force', config(), { root_markers = { 'kifud.toml', '.git' } }))
    vim.lsp.enable(name)
  end
end

--- The client that serves a buffer, or nil.
function M.client(buffer)
  local clients = (vim.lsp.get_clients or vim.lsp.get_active_clients)()
  for _, client in ipairs(clients) do
    if client.name == name and vim.lsp.buf_is_attached(buffer, client.id) then
      return client
    end
  end
end

--- Asks the daemon about a record. `done(result)` is called when it succeeds, `failed(message)` when not.
function M.request(buffer, method, params, done, failed)
  failed = failed or M.complain
  local client = M.client(buffer)
  if not client then
    return failed('kifud does not serve this buffer')
  end
  local function answer(err, result)
    if err then
      failed(err.message)
    else
      done(result)
    end
  end
  if recent then
    client:request(method, params, answer, buffer)
  else
    client.request(method, params, answer, buffer)
  end
end

--- `{document, node}` for the cursor of a window, columns counted as agreed with the daemon.
function M.at_cursor(window, buffer)
  local client = M.client(buffer)
  local here = vim.lsp.util.make_position_params(window, client and client.offset_encoding or 'utf-16')
  return { document = { uri = here.textDocument.uri }, node = { position = here.position } }
end

function M.complain(message)
  vim.notify('kifud: ' .. message, vim.log.levels.ERROR)
end

return M
