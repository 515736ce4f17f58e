import { useState } from 'react'
import type { Place } from '#signer/api.ts'
import { useKeys } from '#react/use-fleet.ts'
import { keyTexts } from '#texts/en-keys.ts'
import { RadioCards, type RadioCard } from '#ui/radio-cards.tsx'
import { NewPassphrase, useNewPassphrase } from './new-passphrase.tsx'

type Custody = Place['custody']

const words = keyTexts.place

export function usePlaceChoice(family: 'plain' | 'chain') {
  const { report } = useKeys()
  const isChain = family === 'chain'
  const canKeep = report?.cryptography === 'webcrypto' && report.storage
  const offered: readonly Custody[] = !canKeep
    ? ['session']
    : isChain
      ? ['vault', 'session']
      : ['device', 'vault', 'session']
  const [chosen, setChosen] = useState<Custody>()
  const passphrase = useNewPassphrase()
  const custody = chosen !== undefined && offered.includes(chosen) ? chosen : (offered[0] ?? 'session')
  return {
    custody,
    offered,
    passphrase,
    choose: (next: Custody) => {
      setChosen(next)
      passphrase.settle()
    },
    /** The chosen place, with the passphrase taken from its fields. Undefined if that is not valid; the form then shows an error. */
    take: (): Place | undefined => {
      if (custody !== 'vault') return { custody }
      const taken = passphrase.take()
      return taken && { custody, passphrase: taken }
    },
  }
}

export function PlaceChoice({ choice }: { readonly choice: ReturnType<typeof usePlaceChoice> }) {
  const { custody, choose, offered, passphrase } = choice
  const cards: Readonly<Record<Custody, RadioCard<Custody>>> = {
    device: { value: 'device', title: words.device, text: words.deviceText },
    vault: {
      value: 'vault',
      title: words.vault,
      text: words.vaultText,
      ...(custody === 'vault' && { children: <NewPassphrase passphrase={passphrase} /> }),
    },
    session: { value: 'session', title: words.session, text: words.sessionText },
  }
  return (
    <>
      {offered.length === 1 && <p className="text-12 ink-3">{words.onlySession}</p>}
      <RadioCards
        legend={words.legend}
        value={custody}
        onChange={choose}
        cards={offered.map((each) => cards[each])}
      />
    </>
  )
}
