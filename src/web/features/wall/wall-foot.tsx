import { useWakeLock } from '#react/use-wake-lock.ts'
import { wallTexts as words } from '#texts/en-wall.ts'
import { toVisibleText } from '#base/visible-text.ts'

/** What is not as it should be with the wall screen itself; nothing while all is well. */
export function WallFoot({ odd }: { readonly odd: readonly string[] }) {
  const awake = useWakeLock()
  const remarks = [
    ...(awake === 'refused' || awake === 'unsupported' ? [words.awake[awake]] : []),
    ...(odd.length > 0 ? [words.odd(toVisibleText(odd.join(', '), 80))] : []),
  ]
  return remarks.length === 0 ? null : (
    <footer className="wall-foot">
      {remarks.map((remark) => (
        <span key={remark}>{remark}</span>
      ))}
    </footer>
  )
}
