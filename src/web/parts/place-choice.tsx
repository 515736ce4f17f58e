import { useRef, useState, type RefObject } from 'react'
import { PASSPHRASE_BYTES_MIN, type Place } from '#signer/api.ts'
import { useKeys } from '#react/use-fleet.ts'
import { keyTexts } from '#texts/en-keys.ts'
import { PassphraseField, takePassphrase } from '#ui/passphrase-field.tsx'
import { RadioCards, type RadioCard } from '#ui/radio-cards.tsx'

type Custody = Place['custody']

const words = keyTexts.place

export type PlaceChoiceState = {
  readonly custody: Custody
  readonly choose: (custody: Custody) => void
  readonly offered: readonly Custody[]
  readonly first: RefObject<HTMLInputElement | null>
  readonly again: RefObject<HTMLInputElement | null>
  readonly problem: string | undefined
  /** The place as chosen, with the passphrase taken out of its fields; undefined when that can't be used, which is then said. */
  readonly take: () => Place | undefined
}

/** Where a key is to be kept, as far as it may be kept there. */
export function usePlaceChoice(family: 'plain' | 'chain'): PlaceChoiceState {
  const { report } = useKeys()
  const isChain = family === 'chain'
  const canKeep = report?.cryptography === 'webcrypto' && report.storage
  const offered: readonly Custody[] = !canKeep
    ? ['session']
    : isChain
      ? ['vault', 'session']
      : ['device', 'vault', 'session']
  const [chosen, setChosen] = useState<Custody>()
  const [problem, setProblem] = useState<string>()
  const first = useRef<HTMLInputElement>(null)
  const again = useRef<HTMLInputElement>(null)
  const custody = chosen !== undefined && offered.includes(chosen) ? chosen : (offered[0] ?? 'session')
  return {
    custody,
    offered,
    first,
    again,
    problem,
    choose: (next) => {
      setChosen(next)
      setProblem(undefined)
    },
    take: () => {
      if (custody !== 'vault') return { custody }
      const [passphrase, repeated] = [takePassphrase(first), takePassphrase(again)]
      const same =
        passphrase.length === repeated.length && passphrase.every((byte, at) => byte === repeated[at])
      repeated.fill(0)
      const isShort = passphrase.length < PASSPHRASE_BYTES_MIN
      setProblem(isShort ? keyTexts.passphrase.short : same ? undefined : keyTexts.passphrase.differ)
      if (same && !isShort) return { custody, passphrase }
      passphrase.fill(0)
      return undefined
    },
  }
}

/** The choice in plain words: what each place protects from and what not. */
export function PlaceChoice({ choice }: { readonly choice: PlaceChoiceState }) {
  const { custody, choose, offered, first, again, problem } = choice
  const cards: Readonly<Record<Custody, RadioCard<Custody>>> = {
    device: { value: 'device', title: words.device, text: words.deviceText },
    vault: {
      value: 'vault',
      title: words.vault,
      text: words.vaultText,
      ...(custody === 'vault' && {
        children: (
          <>
            <PassphraseField
              label={keyTexts.passphrase.label}
              hint={keyTexts.passphrase.hint}
              error={problem}
              input={first}
              autoComplete="new-password"
            />
            <PassphraseField label={keyTexts.passphrase.again} input={again} autoComplete="new-password" />
          </>
        ),
      }),
    },
    session: { value: 'session', title: words.session, text: words.sessionText },
  }
  return (
    <>
      {offered.length === 1 && <p className="t12 ink3">{words.onlySession}</p>}
      <RadioCards
        legend={words.legend}
        value={custody}
        onChange={choose}
        cards={offered.map((each) => cards[each])}
      />
    </>
  )
}
