import { act, renderHook } from '@testing-library/react'
import { beforeEach, expect, it } from 'vitest'
import { useLocation, useSearch, useSearchParams } from '#react/location.ts'
import { hrefOf, nodeOfPath, nodePath, tagPath } from '#react/routes.ts'
import { aNode } from '#test/support/fleet-fixture.ts'

const goTo = (hash: string): void => {
  location.hash = hash
  window.dispatchEvent(new HashChangeEvent('hashchange'))
}

beforeEach(() => goTo('#/nodes'))

it.each([
  ['', '/', ''],
  ['#nodes', '/nodes', ''],
  ['#/nodes?tag=a?b', '/nodes', 'tag=a?b'],
  ['#/wall/a%20b', '/wall/a b', ''],
  ['#/wall/100%', '/wall/100%', ''],
])('the URL hash %j splits into path and query', (hash, path, query) => {
  goTo(hash)
  expect(renderHook(useLocation).result.current[0]).toBe(path)
  expect(renderHook(useSearch).result.current).toBe(query)
})

it('a tag name survives the URL unchanged', () => {
  const { result } = renderHook(useSearchParams)
  for (const tag of ['50%25', 'a&b=c', '#1', 'ü +']) {
    for (const go of [
      () => result.current[1]({ tag }, { replace: true }),
      () => goTo(hrefOf(tagPath(tag))),
    ]) {
      goTo('#/nodes')
      act(() => {
        go()
        window.dispatchEvent(new HashChangeEvent('hashchange'))
      })
      expect(result.current[0].get('tag')).toBe(tag)
    }
  }
  act(() => {
    result.current[1]({})
    window.dispatchEvent(new HashChangeEvent('hashchange'))
  })
  expect(location.hash).toBe('#/nodes')
})

it('two parameter changes at once both apply', () => {
  const { result } = renderHook(useSearchParams)
  const add = (name: string) => (now: URLSearchParams) => {
    now.set(name, '1')
    return now
  }
  act(() => {
    result.current[1](add('one'))
    result.current[1](add('two'))
  })
  expect(location.hash).toBe('#/nodes?one=1&two=1')
})

it('only the path of a node page contains a node', () => {
  const { key } = aNode()
  expect(nodeOfPath(nodePath(key))).toBe(key)
  expect(nodeOfPath('/nodes/')).toBeUndefined()
  expect(nodeOfPath('/nodes/a/b')).toBeUndefined()
})
