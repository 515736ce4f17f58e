import { useEffect, useState } from 'react'
import { useDashboard, type SignedIn } from './dashboard.ts'

/** The user who is signed in at the dashboard's server. Undefined until it has answered, and without sign-in. */
export function useSignedIn(): SignedIn | undefined {
  const { signedIn } = useDashboard()
  const [session, setSession] = useState<SignedIn>()
  useEffect(() => {
    void signedIn().then(setSession, () => undefined)
  }, [signedIn])
  return session
}
