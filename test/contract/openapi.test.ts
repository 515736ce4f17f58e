import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Validator } from '@seriousme/openapi-schema-validator'
import Ajv2020 from 'ajv/dist/2020.js'
import addFormats from 'ajv-formats'
import { describe, expect, it, onTestFinished } from 'vitest'
import { RECORD_MEMBERS } from '#metrics/status-record.ts'
import { PROBLEMS } from '#reference/problem.ts'
import { createReferenceService } from '#reference/reference-service.ts'
import { askStatus, send, testKey, type TestReply } from '#test/node/reference/client.ts'

const KEY = testKey(21)
const FILE = join(import.meta.dirname, '../../src/node/reference/openapi.json')
const document: unknown = JSON.parse(readFileSync(FILE, 'utf8'))

const ajv = new Ajv2020({ strict: false, allErrors: true })
addFormats(ajv)
ajv.addSchema(Object.assign({}, document), 'openapi')

/** Follows a path of members into the document and resolves references. */
function at(...path: readonly string[]): unknown {
  let here: unknown = document
  for (const name of path) {
    here = resolved(here)
    here = typeof here === 'object' && here !== null ? Reflect.get(here, name) : undefined
  }
  return resolved(here)
}

function resolved(value: unknown): unknown {
  const reference = typeof value === 'object' && value !== null ? Reflect.get(value, '$ref') : undefined
  return typeof reference === 'string' ? at(...reference.slice(2).split('/')) : value
}

const errorsOf = (schema: unknown, value: unknown): unknown => {
  // Schemas refer to the document's components, so ajv compiles them with the document registered.
  const text = JSON.stringify(schema).replaceAll('"#/components', '"openapi#/components')
  const validate = ajv.compile(JSON.parse(text))
  return validate(value) ? [] : validate.errors
}

/** Checks a real answer against the document's description of this path, method and status. */
function expectDescribed(path: string, method: string, reply: TestReply): void {
  const response = at('paths', path, method, 'responses', String(reply.status))
  expect(response, `${method} ${path} ${reply.status} is described`).toBeDefined()
  const headers = at('paths', path, method, 'responses', String(reply.status), 'headers')
  for (const [name, header] of Object.entries(headers ?? {})) {
    const { schema } = Object.assign({ schema: {} }, resolved(header))
    expect([name, errorsOf(schema, reply.headers[name.toLowerCase()])]).toEqual([name, []])
  }
  const content = at('paths', path, method, 'responses', String(reply.status), 'content')
  if (content === undefined) {
    expect(reply.text).toBe('')
    return
  }
  const type = String(reply.headers['content-type'])
  const { schema } = Object.assign(
    { schema: false },
    at('paths', path, method, 'responses', String(reply.status), 'content', type),
  )
  expect(errorsOf(schema, reply.json())).toEqual([])
}

async function running() {
  const service = createReferenceService({ noncesMax: 3 })
  const { baseUrl } = await service.listen()
  onTestFinished(() => service.close())
  service.keys.register(KEY.hex)
  return { baseUrl, id: service.network.idOf }
}

describe('the OpenAPI document', () => {
  it('is valid OpenAPI 3.1 according to a third-party validator', async () => {
    const result = await new Validator().validate(structuredClone(Object.assign({}, document)))
    expect(result).toMatchObject({ valid: true })
    expect(at('openapi')).toMatch(/^3\.1\./)
  })

  it('is the document that the service serves', async () => {
    const { baseUrl } = await running()
    const reply = await send(`${baseUrl}/openapi.json`)
    expect(reply.json()).toEqual(document)
    expectDescribed('/openapi.json', 'get', reply)
  })

  it('requires the seven fields of the interface and lists every problem code', () => {
    const fields = RECORD_MEMBERS.toSorted()
    expect(Object.keys(at('components', 'schemas', 'NodeStatus', 'properties') ?? {}).toSorted()).toEqual(
      fields,
    )
    expect(new Set([at('components', 'schemas', 'NodeStatus', 'required')].flat())).toEqual(new Set(fields))
    expect([at('components', 'schemas', 'Problem', 'properties', 'code', 'enum')].flat()).toEqual(
      Object.keys(PROBLEMS),
    )
  })
})

describe('real answers match the document', () => {
  it('for GET: 200, 400, 401, 404 and 429', async () => {
    const { baseUrl, id } = await running()
    const replies = [
      await askStatus(baseUrl, { key: KEY, query: `node_id=${id(4)}` }),
      await askStatus(baseUrl, { key: KEY }),
      await askStatus(baseUrl, { key: KEY, query: `node_id=0x${'a'.repeat(64)}` }),
      await askStatus(baseUrl, { key: KEY, query: 'node_id=x' }),
      await askStatus(baseUrl, { key: KEY, query: 'a=%' }),
      await send(`${baseUrl}/node/status`),
      await askStatus(baseUrl, { key: testKey(22) }),
      await askStatus(baseUrl, { key: KEY }),
    ]
    expect(replies.map(({ status }) => status)).toEqual([200, 200, 404, 400, 400, 401, 401, 429])
    for (const reply of replies) expectDescribed('/node/status', 'get', reply)
  })

  it('for HEAD, OPTIONS and refused methods', async () => {
    const { baseUrl } = await running()
    expectDescribed('/node/status', 'head', await askStatus(baseUrl, { key: KEY, method: 'HEAD' }))
    expectDescribed('/node/status', 'options', await send(`${baseUrl}/node/status`, 'OPTIONS'))
    expectDescribed('/node/status', 'post', await send(`${baseUrl}/node/status`, 'POST'))
  })

  it('but not if a record has a missing, an extra or a wrongly typed field', async () => {
    const { baseUrl } = await running()
    const record = (await askStatus(baseUrl, { key: KEY })).json()
    const schema = { $ref: '#/components/schemas/NodeStatus' }
    const { status: _, ...without } = record
    expect(errorsOf(schema, record)).toEqual([])
    for (const wrong of [
      without,
      { ...record, more: 1 },
      { ...record, last_heartbeat: 1.5 },
      { ...record, node_id: 'x' },
    ]) {
      expect(errorsOf(schema, wrong)).not.toEqual([])
    }
  })
})
