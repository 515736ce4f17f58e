import { useEffect, useState } from 'react'
import { useDashboard, type SignedIn } from './dashboard.ts'

/** Who is signed in at the dashboard's own server. Undefined until it has answered, and where nobody signs in. */
export function useSignedIn(): SignedIn | undefined {
  const { signedIn } = useDashboard()
  const [session, setSession] = useState<SignedIn>()
  useEffect(() => {
    void signedIn().then(setSession, () => undefined)
  }, [signedIn])
  return session
}
