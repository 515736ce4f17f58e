'use strict'
// Packs the build for installation. It contains all code that it runs, so npm installs no other package.
const { execFileSync } = require('node:child_process')
const { cpSync, existsSync, mkdirSync, readFileSync, readdirSync, rmSync, writeFileSync } = require('node:fs')
const path = require('node:path')

const root = path.join(__dirname, '..', '..')
const manifest = JSON.parse(readFileSync(path.join(root, 'package.json'), 'utf8'))
// Only a checkout needs these members.
for (const member of ['dependencies', 'devDependencies', 'imports', 'scripts']) delete manifest[member]
if (!existsSync(path.join(root, 'dist', 'web', 'index.html'))) {
  process.stderr.write('There is no build to pack. Run: npm run package\n')
  process.exit(1)
}
const folder = path.join(root, 'dist', 'package')
rmSync(folder, { recursive: true, force: true })
const readmes = readdirSync(__dirname)
  .map((name) => `src/node/${name}/README.md`)
  .filter((file) => existsSync(path.join(root, file)))
const guides = readdirSync(path.join(root, 'docs'))
  .filter((name) => name.endsWith('.md'))
  .map((name) => `docs/${name}`)
const listed = manifest.files.filter((file) => !file.includes('*'))
for (const file of [...listed, ...readmes, ...guides, 'LICENSE', 'README.md']) {
  mkdirSync(path.dirname(path.join(folder, file)), { recursive: true })
  cpSync(path.join(root, file), path.join(folder, file), { recursive: true })
}
writeFileSync(path.join(folder, 'package.json'), `${JSON.stringify(manifest, null, 2)}\n`)
// On Windows npm is a shell script.
const shell = process.platform === 'win32'
execFileSync('npm', ['pack', folder, ...process.argv.slice(2)], { stdio: 'inherit', shell })
