import { act, render, screen, within } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { describe, expect, it, vi } from 'vitest'
import { Banner } from '#ui/banner.tsx'
import { CopyButton } from '#ui/copy-line.tsx'
import { ErrorBoundary } from '#ui/error-boundary.tsx'
import { FailureNote } from '#ui/failure-note.tsx'
import { LiveRegions } from '#ui/live-region.tsx'
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
  ] as const)('reads the title of a $level message out in the right region', ({ level, where, silent }) => {
    render(
      <LiveRegions after={clock.after}>
        <Banner level={level} title="The service is down" facts={[{ id: 'code', content: 'service/503' }]} />
      </LiveRegions>,
    )
    expect(where()).toHaveProperty('textContent', 'The service is down')
    expect(silent()).toHaveProperty('textContent', '')
  })

  it('is a region named by its title, with facts outside what is read out', () => {
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

  it('leaves no words behind for a reader who comes later, when what they told of may be over', () => {
    render(
      <LiveRegions after={clock.after}>
        <Banner level="critical" title="The service refuses connections" />
      </LiveRegions>,
    )
    expect(assertive().textContent).toBe('The service refuses connections')
    act(() => clock.advanceSync(10_000))
    expect(assertive().textContent).toBe('')
  })

  it('does not speak again when only its facts tick', () => {
    const banner = (seconds: number) => (
      <LiveRegions after={clock.after}>
        <Banner level="warning" title="No answer" facts={[{ id: 'next', content: `in ${seconds} s` }]} />
      </LiveRegions>
    )
    const { rerender } = render(banner(9))
    const spoken = polite().firstChild
    rerender(banner(8))
    expect(polite().firstChild).toBe(spoken)
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
  ])('tells of $outcome politely', async ({ copy, said }) => {
    render(button(copy))
    await userEvent.click(screen.getByRole('button'))
    await vi.waitFor(() => expect(polite().textContent).toBe(said))
    expect(assertive().textContent).toBe('')
  })

  it('speaks again when the same is copied again', async () => {
    const copy = vi.fn<(text: string) => Promise<boolean>>(() => Promise.resolve(true))
    render(button(copy))
    await userEvent.click(screen.getByRole('button'))
    const first = polite().firstChild
    await userEvent.click(screen.getByRole('button'))
    expect(copy.mock.calls).toEqual([['0x7f3a'], ['0x7f3a']])
    expect(polite().firstChild).not.toBe(first)
  })
})

describe('ErrorBoundary', () => {
  it('keeps the rest of the page, shows what failed with hidden characters visible, and draws anew on request', async () => {
    // React reports what a boundary caught; the report is expected here.
    const report = vi.spyOn(console, 'error').mockImplementation(() => {})
    let isBroken = true
    const Chart = () => {
      if (isBroken) throw new Error('bad \u202e value')
      return <p>chart</p>
    }
    render(
      <>
        <p>rest</p>
        <ErrorBoundary
          fallback={(error, retry) => (
            <FailureNote
              title="Could not draw"
              text="The rest goes on."
              detailsLabel="Details"
              retryLabel="Try again"
              message={String(error)}
              report={undefined}
              onRetry={retry}
            />
          )}
        >
          <Chart />
        </ErrorBoundary>
      </>,
    )
    expect(screen.getByText('rest')).toBeDefined()
    expect(screen.getByText('Error: bad ⟨U+202E⟩ value')).toBeDefined()
    isBroken = false
    await userEvent.click(screen.getByRole('button', { name: 'Try again' }))
    expect(screen.getByText('chart')).toBeDefined()
    report.mockRestore()
  })
})
