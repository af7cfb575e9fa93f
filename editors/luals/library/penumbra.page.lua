---@meta penumbra.page

---The page of a report. Only the program `penumbra` has this module.
---@class penumbra.page
local page = {}

---Makes the HTML page of a report from the JSON that gc.report writes.
---@param json string
---@return string html
function page.html(json) end

---Writes that page to a file, or without a name to the standard output.
---@param json string
---@param name? string
function page.save(json, name) end

---Writes the page of the report in a file to the standard output.
---@param name string
function page.convert(name) end

return page
