// Runs first, on whatever version of Node is installed, so it uses old syntax and no packages.
'use strict'

var fs = require('fs')
var path = require('path')

var ROOT = path.join(__dirname, '..', '..')
var NODE_MIN = [20, 19]

/** The first problem and its remedy, in one line; '' if there is none. */
function problem(nodeVersion, root, files) {
  files = files || fs
  var parts = nodeVersion.split('.').map(Number)
  if (parts[0] < NODE_MIN[0] || (parts[0] === NODE_MIN[0] && parts[1] < NODE_MIN[1]))
    return (
      'Node.js ' +
      nodeVersion +
      ' is too old: version ' +
      NODE_MIN.join('.') +
      ' or newer is needed. Install the current LTS version, then try again.'
    )
  if (!files.existsSync(path.join(root, 'node_modules', 'vite', 'package.json')))
    return 'The packages are not installed yet: run "npm ci --include=dev" in ' + root + ', then try again.'
  var out = path.join(root, 'dist')
  try {
    files.accessSync(files.existsSync(out) ? out : root, fs.constants.W_OK)
  } catch (denied) {
    if (denied.code !== 'EACCES' && denied.code !== 'EPERM' && denied.code !== 'EROFS') throw denied
    return (
      'No permission to write to ' + out + ': change its owner, or copy the project to a folder of your own.'
    )
  }
  return ''
}

module.exports = { problem: problem, ROOT: ROOT }

if (require.main === module) {
  var found = problem(process.versions.node, ROOT)
  if (found !== '') {
    process.stderr.write(found + '\n')
    process.exit(1)
  }
}
