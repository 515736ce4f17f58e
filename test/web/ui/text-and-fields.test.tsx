import { runInThisContext } from 'node:vm'
import { fireEvent, render, screen } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { useState } from 'react'
import { describe, expect, it, vi } from 'vitest'
import { Button } from '#ui/button.tsx'
import { Segmented } from '#ui/choices.tsx'
import { FileField } from '#ui/secret-field.tsx'
import { RadioCards } from '#ui/radio-cards.tsx'
import { TextField } from '#ui/text-field.tsx'
import { applyTheme } from '#ui/theme.ts'
import { Time } from '#ui/time.tsx'
import { VisibleText } from '#ui/visible-text.tsx'
import { fillIn } from '#test/support/fill-in.ts'
import { read } from '#test/support/source-tree.ts'

describe('VisibleText', () => {
  it.each([
    { text: 'ACTIVE', shown: 'ACTIVE', tokens: [] },
    { text: 'AC\u202eEVIT', shown: 'ACU+202EEVIT', tokens: ['U+202E'] },
    { text: '\u200bA\u0000', shown: 'U+200BAU+0000', tokens: ['U+200B', 'U+0000'] },
    { text: '<img onerror=alert(1)>', shown: '<img onerror=alert(1)>', tokens: [] },
    { text: 'x'.repeat(70), shown: `${'x'.repeat(64)}… (70 characters)`, tokens: [] },
  ])('shows $shown', ({ text, shown, tokens }) => {
    const { container } = render(<VisibleText text={text} />)
    expect(container.querySelector('bdi')?.textContent).toBe(shown)
    expect(Array.from(container.querySelectorAll('.visible-text'), (token) => token.textContent)).toEqual(
      tokens,
    )
    expect(container.querySelector('img')).toBeNull()
  })
})

describe('Time', () => {
  it.each([
    { atMs: 0, machine: '1970-01-01T00:00:00.000Z' },
    { atMs: 8.64e15, machine: '+275760-09-13T00:00:00.000Z' },
    { atMs: 9e15, machine: null },
    { atMs: Number.NaN, machine: null },
    { atMs: Number.NEGATIVE_INFINITY, machine: null },
  ])('has a machine-readable time for $atMs only if the date is valid', ({ atMs, machine }) => {
    const { container } = render(
      <Time atMs={atMs} title={'UTC\nlocal'}>
        then
      </Time>,
    )
    expect(container.querySelector('time')?.getAttribute('datetime')).toBe(machine)
    expect(screen.getByText('then').title).toBe('UTC\nlocal')
  })
})

describe('TextField', () => {
  it('links hint and error to the input, and announces the error', () => {
    render(<TextField label="Base URL" value="htp" onChange={() => {}} hint="With http" error="No colon" />)
    const input = screen.getByRole('textbox', { name: 'Base URL', description: 'With http No colon' })
    expect(input.getAttribute('aria-invalid')).toBe('true')
    expect(screen.getByRole('status').textContent).toBe('No colon')
  })
})

describe('RadioCards', () => {
  it('is a named group of radio buttons, and typing in a card selects nothing', async () => {
    function Choice() {
      const [value, setValue] = useState<'demo' | 'own'>('demo')
      const [url, setUrl] = useState('')
      return (
        <RadioCards
          legend="Which service?"
          value={value}
          onChange={setValue}
          cards={[
            { value: 'demo', title: 'Demo', text: 'Made-up nodes' },
            {
              value: 'own',
              title: 'My service',
              children: <TextField label="Base URL" value={url} onChange={setUrl} />,
            },
          ]}
        />
      )
    }
    render(<Choice />)
    const demo = screen.getByRole('radio', { name: 'Demo', description: 'Made-up nodes', checked: true })
    await fillIn(screen.getByRole('textbox', { name: 'Base URL' }), 'http://a')
    expect(screen.getByRole('radio', { name: 'Demo', checked: true })).toBe(demo)
    await userEvent.click(screen.getByText('My service'))
    expect(screen.getByRole('radio', { name: 'My service', checked: true })).toBeDefined()
    expect(screen.getByRole('group', { name: 'Which service?' })).toBeDefined()
  })
})

describe('groups of radio buttons', () => {
  const options = [
    { value: 'a', label: 'A' },
    { value: 'b', label: 'B' },
  ] as const
  const ofColour = <Segmented legend="Colour" value="a" options={options} onChange={() => undefined} />
  const names = (container: HTMLElement) =>
    Array.from(container.querySelectorAll('fieldset'), (group) =>
      Array.from(group.querySelectorAll('input'), ({ name }) => name),
    )

  it('have one name each, different from other groups on the page', () => {
    const { container } = render([ofColour, ofColour].map((group, key) => <div key={key}>{group}</div>))
    const [one = [], other = []] = names(container)
    expect(one[0]).not.toBe('')
    expect(one[1]).toBe(one[0])
    expect(other[1]).toBe(other[0])
    expect(one[0]).not.toBe(other[0])
  })

  it('reuse the names of removed groups', () => {
    const shown = () => {
      const { container, unmount } = render(ofColour)
      const [[name] = []] = names(container)
      unmount()
      return name
    }
    expect(shown()).toBe(shown())
  })
})

describe('FileField', () => {
  it('passes on a chosen file, the same file again, and a dropped file', async () => {
    const onFile = vi.fn<(file: File) => void>()
    render(<FileField label="Key file" prompt="Choose" onFile={onFile} />)
    const file = new File(['seed'], 'key.txt')
    await userEvent.upload(screen.getByLabelText('Key file'), file)
    await userEvent.upload(screen.getByLabelText('Key file'), file)
    const place = screen.getByText('Choose')
    // False means that the browser does not open the file in place of the page.
    expect(fireEvent.dragOver(place, { dataTransfer: { files: [file] } })).toBe(false)
    expect(fireEvent.drop(place, { dataTransfer: { files: [file] } })).toBe(false)
    expect(onFile.mock.calls).toEqual([[file], [file], [file]])
  })
})

describe('Button', () => {
  it('ignores clicks while busy, and keeps focus', async () => {
    const onClick = vi.fn<() => void>()
    const { rerender } = render(<Button onClick={onClick}>Test</Button>)
    await userEvent.click(screen.getByRole('button'))
    rerender(
      <Button busy onClick={onClick}>
        Test
      </Button>,
    )
    await userEvent.click(screen.getByRole('button'))
    expect(onClick).toHaveBeenCalledTimes(1)
    expect(document.activeElement).toBe(screen.getByRole('button'))
  })
})

describe('applyTheme', () => {
  it.each([
    { theme: 'dark', contrast: 'more', attributes: ['dark', 'more'] },
    { theme: 'light', contrast: 'normal', attributes: ['light', 'normal'] },
    { theme: 'system', contrast: 'system', attributes: [null, null] },
  ] as const)('sets theme $theme and contrast $contrast', ({ theme, contrast, attributes }) => {
    const root = document.createElement('html')
    applyTheme(root, 'dark', 'more')
    applyTheme(root, theme, contrast)
    expect([root.getAttribute('data-theme'), root.getAttribute('data-contrast')]).toEqual(attributes)
  })
})

describe('theme.js', () => {
  it('keeps the system’s contrast on the root element, also without storage', () => {
    const query = Object.assign(new EventTarget(), { matches: true })
    vi.stubGlobal('matchMedia', (text: string) => (text === '(prefers-contrast: more)' ? query : undefined))
    vi.stubGlobal('localStorage', undefined)
    const { dataset } = document.documentElement
    runInThisContext(read('public/theme.js'))
    expect(dataset['systemContrast']).toBe('more')
    query.matches = false
    query.dispatchEvent(new Event('change'))
    expect(dataset['systemContrast']).toBe('normal')
    expect(dataset['contrast']).toBeUndefined()
    vi.unstubAllGlobals()
  })
})
