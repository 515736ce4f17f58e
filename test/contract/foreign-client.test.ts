import { execFile } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, it, onTestFinished } from 'vitest'
import { createReferenceService } from '#reference/reference-service.ts'
import { temporaryFolder } from '#test/support/temporary-file.ts'

const run = promisify(execFile)

/**
 * A client that shares no code with this project: openssl creates the key and the signature, and curl sends the
 * request. Only the text to sign comes from here, as the documentation describes it.
 */
async function opensslKey() {
  const folder = temporaryFolder()
  const keyFile = join(folder, 'key.pem')
  await run('openssl', ['genpkey', '-algorithm', 'ed25519', '-out', keyFile])
  const shown = await run('openssl', ['pkey', '-in', keyFile, '-pubout', '-outform', 'DER'], {
    encoding: 'buffer',
  })
  const sign = async (text: string): Promise<string> => {
    const textFile = join(folder, 'text')
    writeFileSync(textFile, text)
    const args = ['pkeyutl', '-sign', '-rawin', '-inkey', keyFile, '-in', textFile]
    const { stdout } = await run('openssl', args, { encoding: 'buffer' })
    return stdout.toString('hex')
  }
  return { hex: shown.stdout.subarray(-32).toString('hex'), sign }
}

async function curl(url: string, headers: readonly string[]): Promise<{ status: number; body: string }> {
  const args = ['--silent', '--noproxy', '*', '--max-time', '20', '--write-out', '\n%{http_code}']
  const { stdout } = await run('curl', [...args, ...headers.flatMap((header) => ['--header', header]), url])
  const end = stdout.lastIndexOf('\n')
  return { status: Number(stdout.slice(end + 1)), body: stdout.slice(0, end) }
}

it('curl gets the record with a signature by openssl, and 401 without one', async () => {
  const service = createReferenceService()
  onTestFinished(() => service.close())
  const { baseUrl } = await service.listen()
  const key = await opensslKey()
  service.keys.register(key.hex)

  const query = `node_id=${service.network.idOf(2)}`
  const timestamp = String(Math.floor(Date.now() / 1_000))
  const nonce = 'Zm9yZWlnbi1jbGllbnQtMQ'
  const text = `immune-node-auth-v1\nGET\n${baseUrl}\n/node/status\n${query}\n${timestamp}\n${nonce}\n${key.hex}`
  const headers = [`X-Node-Key: ${key.hex}`, `X-Node-Timestamp: ${timestamp}`, `X-Node-Nonce: ${nonce}`]
  const url = `${baseUrl}/node/status?${query}`

  const signed = await curl(url, [`Authorization: Bearer ${await key.sign(text)}`, ...headers])
  expect([signed.status, JSON.parse(signed.body).node_id]).toEqual([200, service.network.idOf(2)])
  const unsigned = await curl(url, headers)
  expect([unsigned.status, JSON.parse(unsigned.body).code]).toEqual([401, 'credentials-missing'])
})
