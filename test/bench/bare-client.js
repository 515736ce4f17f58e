// A minimal Node client: signs each request with node:crypto, keeps connections alive, reads the answer and counts it.
import { createPrivateKey, createPublicKey, randomBytes, sign } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { Agent, get } from 'node:http'

const [origin, keyFile, idsFile, inFlight] = process.argv.slice(2)
const ids = readFileSync(idsFile, 'utf8').split('\n')
const key = createPrivateKey(readFileSync(keyFile))
const publicKey = createPublicKey(key).export({ format: 'der', type: 'spki' }).subarray(-32).toString('hex')
const agent = new Agent({ keepAlive: true, maxSockets: Number(inFlight) })
let next = 0
let answered = 0

function ask() {
  const query = `node_id=${ids[next++ % ids.length]}`
  const timestamp = String(Math.floor(Date.now() / 1000))
  const nonce = randomBytes(16).toString('base64url')
  const text = [
    'immune-node-auth-v1',
    'GET',
    origin,
    '/node/status',
    query,
    timestamp,
    nonce,
    publicKey,
  ].join('\n')
  const headers = {
    Authorization: `Bearer ${sign(null, Buffer.from(text), key).toString('hex')}`,
    'X-Node-Key': publicKey,
    'X-Node-Timestamp': timestamp,
    'X-Node-Nonce': nonce,
  }
  get(`${origin}/node/status?${query}`, { agent, headers }, (response) => {
    let body = ''
    response.setEncoding('utf8')
    response.on('data', (part) => (body += part))
    response.on('end', () => {
      if (response.statusCode === 200 && typeof JSON.parse(body).status === 'string') answered++
      ask()
    })
  }).on('error', () => setImmediate(ask))
}

for (let count = 0; count < Number(inFlight); count++) ask()
process.on('message', () => process.send(answered))
