/** What Promise.withResolvers gives, which Node 20 does not have. */
export function withResolvers<T = void>() {
  let resolve: (value: T) => void = () => undefined
  const promise = new Promise<T>((done) => {
    resolve = done
  })
  return { promise, resolve }
}
