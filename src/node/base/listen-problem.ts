/** Why a server could not listen, and what to do; undefined: not for its address or port. `flag`: what sets the port. */
export function listenProblem(
  error: unknown,
  { host, port }: { readonly host: string; readonly port: number },
  flag = '--port',
): string | undefined {
  switch (error instanceof Error && 'code' in error ? error.code : undefined) {
    case 'EADDRINUSE':
      return `Port ${port} is in use. Choose another with ${flag} P, where 0 picks a free one.`
    case 'EACCES':
      return `Port ${port} may not be used by this user. Choose one above 1023 with ${flag} P.`
    case 'EADDRNOTAVAIL':
    case 'ENOTFOUND':
    case 'EAI_AGAIN':
      return `This computer has no address "${host}". Choose another with --host H.`
    default:
      return undefined
  }
}
