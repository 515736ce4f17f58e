import { act, render, screen, within } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { describe, expect, it } from 'vitest'
import { Banner } from '#ui/banner.tsx'
import { CopyButton } from '#ui/copy-line.tsx'
import { LiveRegions } from '#ui/live-region.tsx'
import { MessageStrip } from '#ui/message-strip.tsx'
import { createFakeClock } from '#test/support/fake-clock.ts'

const clock = createFakeClock()
const polite = () => screen.getByRole('status')
const assertive = () => screen.getByRole('alert')

describe('Banner', () => {
  it.each([
    { level: 'critical', where: assertive, silent: polite },
    { level: 'warning', where: polite, silent: assertive },
    { level: 'none', where: polite, silent: assertive },
    { level: 'info', where: polite, silent: assertive },
  ] as const)('announces the title of a $level message in the right region', ({ level, where, silent }) => {
    render(
      <LiveRegions after={clock.after}>
        <Banner level={level} title="The service is down" facts={[{ id: 'code', content: 'service/503' }]} />
      </LiveRegions>,
    )
    expect(where()).toHaveProperty('textContent', 'The service is down')
    expect(silent()).toHaveProperty('textContent', '')
  })

  it('is a region named by its title, and does not announce its facts', () => {
    render(
      <LiveRegions after={clock.after}>
        <Banner level="warning" title="No answer" facts={[{ id: 'next', content: 'next try in 9 s' }]}>
          Nobody knows how the node is.
        </Banner>
      </LiveRegions>,
    )
    const region = screen.getByRole('region', { name: 'No answer' })
    expect(within(region).getByText('next try in 9 s')).toBeDefined()
    expect(polite().textContent).not.toContain('9 s')
  })

  it('clears its announcement after 10 s, a later one after its own 10 s', () => {
    const told = (title: string) => (
      <LiveRegions after={clock.after}>
        <Banner key={title} level="critical" title={title} />
      </LiveRegions>
    )
    const { rerender } = render(told('First'))
    act(() => clock.advanceSync(6_000))
    rerender(told('Second'))
    act(() => clock.advanceSync(6_000))
    expect(assertive().textContent).toBe('Second')
    act(() => clock.advanceSync(4_000))
    expect(assertive().textContent).toBe('')
  })
})

describe('MessageStrip', () => {
  const strip = (quiet: readonly string[], loud: readonly string[]) => (
    <LiveRegions after={clock.after}>
      <MessageStrip label="Messages" openLabel={(all) => `All ${all}`} closeLabel="Close" page="nodes">
        {quiet.map((title) => (
          <Banner key={title} level="critical" title={title} isQuiet />
        ))}
        {loud.map((title) => (
          <Banner key={title} level="warning" title={title} />
        ))}
      </MessageStrip>
    </LiveRegions>
  )
  const shown = () => screen.queryAllByRole('region').map((one) => one.getAttribute('aria-labelledby'))
  const titles = () => shown().map((id) => document.querySelector(`[id="${id}"]`)?.textContent)

  it('hides acknowledged messages until it is opened, and then puts them last', async () => {
    render(strip(['Seen', 'Seen too'], ['New']))
    expect(titles()).toEqual(['New'])
    await userEvent.click(screen.getByRole('button', { name: 'All 3' }))
    expect(titles()).toEqual(['Seen', 'Seen too', 'New'])
    const order = screen.getAllByRole('region').map(({ style }) => style.order)
    expect(order).toEqual(['1', '2', '0'])
    act(() => screen.getByRole('group', { name: 'Messages' }).focus())
    await userEvent.keyboard('{Escape}')
    expect(titles()).toEqual(['New'])
    const toggle = screen.getByRole('button', { name: 'All 3' })
    expect(document.activeElement).toBe(toggle)
    act(() => toggle.blur())
    await userEvent.keyboard('{Escape}')
    expect(document.activeElement).toBe(document.body)
  })

  it('is collapsed again once all messages are gone', async () => {
    const { rerender } = render(strip([], ['Old', 'Older']))
    await userEvent.click(screen.getByRole('button', { name: 'All 2' }))
    rerender(strip([], []))
    rerender(strip([], ['New']))
    screen.getByRole('button', { name: 'All 1', expanded: false })
  })

  it('shows one acknowledged message if there are no others', () => {
    render(strip(['Seen', 'Seen too'], []))
    expect(titles()).toEqual(['Seen'])
  })
})

describe('CopyButton', () => {
  const button = (copy: (text: string) => Promise<boolean>) => (
    <LiveRegions after={clock.after}>
      <CopyButton text="0x7f3a" label="Copy node id" copiedText="Copied" failedText="Not copied" copy={copy}>
        0x7f…
      </CopyButton>
    </LiveRegions>
  )

  it.each([
    { outcome: 'a success', copy: () => Promise.resolve(true), said: 'Copied' },
    { outcome: 'a refusal', copy: () => Promise.resolve(false), said: 'Not copied' },
    { outcome: 'an error', copy: () => Promise.reject(new Error('denied')), said: 'Not copied' },
  ])('announces $outcome politely', async ({ copy, said }) => {
    render(button(copy))
    await userEvent.click(screen.getByRole('button'))
    await expect.poll(() => polite().textContent).toBe(said)
    expect(screen.getByRole('button').title).toBe(said === 'Copied' ? said : 'Copy node id')
    expect(assertive().textContent).toBe('')
    // A screen reader repeats the same words only if they are in a new element.
    const told = polite().firstChild
    await userEvent.click(screen.getByRole('button'))
    await expect.poll(() => polite().firstChild).not.toBe(told)
    await userEvent.unhover(screen.getByRole('button'))
    expect(screen.getByRole('button').title).toBe('Copy node id')
    await userEvent.keyboard('{Enter}')
    await userEvent.tab()
    expect(screen.getByRole('button').title).toBe('Copy node id')
  })
})
