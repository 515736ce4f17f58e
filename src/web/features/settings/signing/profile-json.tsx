import { useState } from 'react'
import { copying } from '#parts/copying.ts'
import { parseProfile, type Profile } from '#signing/profile.ts'
import { profileTexts as words } from '#texts/en-profiles.ts'
import { CopyButton } from '#ui/copy-button.tsx'
import { FileField } from '#ui/file-field.tsx'
import { Disclosure, Stack } from '#ui/settings-layout.tsx'
import { TextField } from '#ui/text-field.tsx'

const FILE_BYTES_MAX = 64 * 1_024

type ProfileJsonProps = {
  /** Undefined while the editor's fields make none. */
  readonly profile: Profile | undefined
  readonly onImport: (profile: Profile) => void
}

/** A profile as a document, to give away or to take over. */
export function ProfileJson({ profile, onImport }: ProfileJsonProps) {
  const [typed, setTyped] = useState<string>()
  const [problem, setProblem] = useState<string>()
  const text = typed ?? (profile === undefined ? '' : JSON.stringify(profile, undefined, 2))
  const take = (input: string): void => {
    const read = readDocument(input)
    if (typeof read === 'string') {
      setTyped(input)
      setProblem(read)
      return
    }
    setTyped(undefined) // from here on the field shows what the editor holds
    setProblem(undefined)
    onImport(read)
  }
  const takeFile = async (file: File): Promise<void> => {
    if (file.size > FILE_BYTES_MAX) setProblem(words.jsonTooLong)
    else take(await file.text())
  }
  return (
    <Disclosure summary={words.json}>
      <Stack>
        <TextField
          label={words.jsonLabel}
          hint={words.jsonHint}
          error={problem}
          mono
          rows={10}
          value={text}
          onChange={take}
        />
        <CopyButton
          text={text}
          label={copying.copyLabel}
          copiedText={copying.copiedText}
          failedText={copying.failedText}
          copy={copying.copy}
        />
        <FileField
          label={words.jsonFile}
          prompt={words.jsonPrompt}
          accept="application/json,.json"
          onFile={(file) => void takeFile(file)}
        />
      </Stack>
    </Disclosure>
  )
}

function readDocument(text: string): Profile | string {
  let document: unknown
  try {
    document = JSON.parse(text)
  } catch {
    return words.jsonNot // the parser's words differ between browsers
  }
  const parsed = parseProfile(document)
  if (parsed.ok) return parsed.value
  return parsed.error.map(({ path, message }) => (path === '' ? message : `${path}: ${message}`)).join('. ')
}
