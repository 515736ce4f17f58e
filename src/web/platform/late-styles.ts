/** By file; a failed one can be asked for again. */
const added = new Map<string, Promise<void>>()

/**
 * Fetches a part of the page when its styles are here too, so that it is never seen without them. The build puts it
 * around every dynamic import; `files`: those of the part that no other has brought.
 */
export async function loadWithStyles<T>(load: () => Promise<T>, files: readonly string[] = []): Promise<T> {
  const styles = files.map((file) => {
    const known = added.get(file)
    if (known !== undefined) return known
    // The page began with them.
    if (document.querySelector(`link[href="/${file}"]`) !== null) return undefined
    const adding = addStyles(`/${file}`)
    added.set(file, adding)
    adding.catch(() => added.delete(file))
    return adding
  })
  const [part] = await Promise.all([load(), ...styles])
  return part
}

const addStyles = (href: string): Promise<void> =>
  new Promise((resolve, reject) => {
    const link = document.createElement('link')
    link.rel = 'stylesheet'
    link.href = href
    link.addEventListener('load', () => resolve())
    link.addEventListener('error', () => {
      link.remove()
      reject(new Error(`no styles at ${href}`))
    })
    document.head.append(link)
  })
