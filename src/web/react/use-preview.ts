import { useEffect, useState } from 'react'
import { createPreviewSigner, type Preview, type PreviewSigner } from '#platform/preview-signing.ts'
import type { Profile } from '#signing/profile.ts'
import type { TemplateProblem } from '#signing/template-parts.ts'

export type { Preview } from '#platform/preview-signing.ts'

export type PreviewState =
  | { readonly kind: 'waiting' }
  | { readonly kind: 'shown'; readonly preview: Preview }
  | { readonly kind: 'problem'; readonly problem: TemplateProblem }
  | { readonly kind: 'broken' }

/** One throw-away key for the life of the page is enough. */
let signer: Promise<PreviewSigner> | undefined

/** What would be sent for a draft, made anew with each change of it. Undefined: the draft can't be read. */
export function usePreview(
  profile: Profile | undefined,
  baseUrl: string,
  nodeId: string | undefined,
): PreviewState {
  const [state, setState] = useState<PreviewState>({ kind: 'waiting' })
  useEffect(() => {
    let isCurrent = true
    const show = (next: PreviewState): void => {
      if (isCurrent) setState(next)
    }
    const make = async (draft: Profile): Promise<void> => {
      try {
        signer ??= createPreviewSigner()
        const preview = await (await signer)(draft, baseUrl, nodeId)
        show(
          preview.ok
            ? { kind: 'shown', preview: preview.value }
            : { kind: 'problem', problem: preview.error },
        )
      } catch {
        signer = undefined
        show({ kind: 'broken' }) // no randomness or no memory: the next change tries again
      }
    }
    if (profile !== undefined) void make(profile)
    return () => {
      isCurrent = false
    }
  }, [profile, baseUrl, nodeId])
  return state
}
