/** Like `Promise.withResolvers`, which Node 20 lacks. */
export function withResolvers<T = void>() {
  let resolve: (value: T) => void = () => undefined
  const promise = new Promise<T>((done) => {
    resolve = done
  })
  return { promise, resolve }
}
