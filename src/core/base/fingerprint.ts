/**
 * 16 hex digits that differ between texts; fast and synchronous. Not for secrets and not a proof, because collisions can be
 * constructed. Two rounds of FNV-1a over the UTF-16 units, with different starting values.
 */
export function textFingerprint(text: string): string {
  let one = 0x811c9dc5
  let other = 0x9e3779b9
  for (let index = 0; index < text.length; index++) {
    const unit = text.charCodeAt(index)
    one = Math.imul(one ^ unit, 0x01000193)
    other = Math.imul(other ^ unit ^ (one >>> 15), 0x01000193)
  }
  return hex(one) + hex(other)
}

const hex = (word: number): string => (word >>> 0).toString(16).padStart(8, '0')
