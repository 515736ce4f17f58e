import { expect, it } from 'vitest'
import { createStore } from '#base/store.ts'
import type { Said } from '#react/dashboard.ts'
import { addToast } from '#react/toasts.ts'

it('toasts show the three newest confirmations', () => {
  const toasts = createStore<readonly Said[]>([])
  for (const text of ['a', 'b', 'c', 'd']) addToast(toasts, { text, untilMs: 0 })
  expect(toasts.get().map((said) => said.text)).toEqual(['b', 'c', 'd'])
  expect(new Set(toasts.get().map(({ id }) => id)).size).toBe(3)
})
