import { afterEach, expect, it, vi } from 'vitest'
import { loadWithStyles } from '#platform/late-styles.ts'

const links = () => Array.from(document.head.querySelectorAll<HTMLLinkElement>('link[rel="stylesheet"]'))
const hrefs = () => links().map((link) => link.getAttribute('href'))

afterEach(() => links().forEach((link) => link.remove()))

it('a part without styles of its own waits for none', async () => {
  expect(await loadWithStyles(async () => 'part')).toBe('part')
  expect(hrefs()).toEqual([])
})

it('a part is not drawn before its styles are here, which are asked for once', async () => {
  const drawn = vi.fn<(part: string) => void>()
  const both = [1, 2].map(async () => drawn(await loadWithStyles(async () => 'part', ['assets/one.css'])))
  await expect.poll(() => hrefs()).toEqual(['/assets/one.css'])
  expect(drawn).not.toHaveBeenCalled()
  links()[0]?.dispatchEvent(new Event('load'))
  await Promise.all(both)
  expect(drawn).toHaveBeenCalledTimes(2)
  await loadWithStyles(async () => 'part', ['assets/one.css'])
  expect(hrefs()).toEqual(['/assets/one.css'])
})

it('styles that the page began with are not brought again, which would put them over later ones', async () => {
  document.head.insertAdjacentHTML('beforeend', '<link rel="stylesheet" href="/assets/first.css">')
  expect(await loadWithStyles(async () => 'part', ['assets/first.css'])).toBe('part')
  expect(hrefs()).toEqual(['/assets/first.css'])
})

it('styles that could not be had are a part that could not be had, and are asked for again', async () => {
  const first = loadWithStyles(async () => 'part', ['assets/two.css']).catch(String)
  links()[0]?.dispatchEvent(new Event('error'))
  expect(await first).toContain('assets/two.css')
  expect(hrefs()).toEqual([])
  const again = loadWithStyles(async () => 'part', ['assets/two.css'])
  links()[0]?.dispatchEvent(new Event('load'))
  expect(await again).toBe('part')
})
