import { expect, it } from 'vitest'
import { failureWords } from '#texts/en-failures.ts'
import type { FailureContext } from '#texts/failure-words.ts'

const CONTEXT: FailureContext = {
  baseUrl: 'https://node.example',
  via: 'proxy',
  pageOrigin: 'https://dash.example',
  headerNames: [],
  service: 'node.example',
  node: undefined,
}

it('a refused signature of the dashboard’s server is laid to no key, profile or browser of the reader’s', () => {
  for (const kind of ['unauthorized', 'forbidden'] as const) {
    const { title, meaning, next } = failureWords({ kind }, { ...CONTEXT, credential: 'server' })
    expect(`${title} ${meaning}`, kind).toMatch(/server’s/)
    expect(`${meaning} ${next}`, kind).not.toMatch(/neither|Choose another/)
  }
})
