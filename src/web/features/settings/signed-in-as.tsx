import { useMutation, useQuery } from '@tanstack/react-query'
import { useDashboard } from '#react/dashboard.ts'
import { settingsTexts as words } from '#texts/en-settings.ts'
import { Button } from '#ui/button.tsx'

/** Who is signed in at the dashboard's own server, where one has to be. */
export function SignedInAs() {
  const { signedIn, signOut } = useDashboard()
  const { data } = useQuery({ queryKey: ['signed-in'], queryFn: async () => (await signedIn()) ?? null })
  const { mutate, isPending, data: hasLeft } = useMutation({ mutationFn: signOut })
  if (data === undefined || data === null) return null
  return (
    <>
      <span className="text-12 ink-3 wrap-anywhere">{words.session.signedInAs(data.name)}</span>
      {data.canSignOut && (
        <Button size="small" busy={isPending} onClick={() => mutate()} title={words.session.keepsKey}>
          {words.session.signOut}
        </Button>
      )}
      <span role="alert" className="field-error">
        {hasLeft === false && words.session.failed}
      </span>
    </>
  )
}
