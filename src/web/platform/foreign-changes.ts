/** The former position of a removed node, and the node that replaced it. */
type Place = { readonly parent: Node; readonly next: Node | null; readonly standIn: Node | undefined }

// Each is called with a `this` of its own.
// oxlint-disable-next-line typescript/unbound-method
const { insertBefore, removeChild } = Node.prototype

/**
 * Translators and extensions replace, wrap and remove nodes that React still uses. React would then write to invisible text,
 * and throw when it removes such a node or inserts next to it. After this call, a text that React writes takes back the place of
 * its replacement, and removing a node or inserting next to it acts on its replacement. Returns a function that stops this.
 */
export function surviveForeignChanges(root: Node): () => void {
  const { childFor, settle, end } = watchPlaces(root)
  Node.prototype.removeChild = function <T extends Node>(this: Node, node: T): T {
    if (node.parentNode !== this) settle()
    const child = childFor(this, node)
    let around = child?.contains(node) === true ? node.parentNode : null
    if (around === null && child !== null) removeChild.call(this, child)
    if (around !== null) removeChild.call(around, node)
    // Wrappers that are empty now are removed too.
    while (around !== null && around !== this && !around.hasChildNodes()) {
      const empty: Node = around
      around = empty.parentNode
      if (around !== null) removeChild.call(around, empty)
    }
    return node
  }
  Node.prototype.insertBefore = function <T extends Node>(this: Node, node: T, next: Node | null): T {
    if (next instanceof Node && next.parentNode !== this) settle()
    insertBefore.call(this, node, childFor(this, next))
    return node
  }
  return () => {
    end()
    Object.assign(Node.prototype, { insertBefore, removeChild })
  }
}

/** Tracks the replacement of each removed node, and restores a text when React writes to it. */
function watchPlaces(root: Node) {
  const places = new WeakMap<Node, Place>()
  const standIns = new WeakSet<Node>()

  /** The child of `parent` that is the node, contains it or replaced it. */
  const childFor = (parent: Node, node: Node | null | undefined): Node | null => {
    for (let at = node; at instanceof Node; at = places.get(at)?.standIn)
      for (let child: Node | null = at; child !== null; child = child.parentNode)
        if (child.parentNode === parent) return child
    return null
  }
  const remember = (node: Node, place: Place): void => {
    if (node.nodeType !== Node.TEXT_NODE && !standIns.has(node)) return
    places.set(node, place)
    if (place.standIn !== undefined) standIns.add(place.standIn)
    observer.observe(node, { characterData: true })
  }
  const putBack = (text: Node): void => {
    const place = places.get(text)
    if (place === undefined || text.parentNode !== null) return
    insertBefore.call(place.parent, text, childFor(place.parent, text) ?? childFor(place.parent, place.next))
  }
  const note = (records: readonly MutationRecord[]): void => {
    const added = new Set<Node>()
    const removed = new Set<Node>()
    for (const { type, target, addedNodes, removedNodes, previousSibling, nextSibling } of records) {
      if (type === 'characterData') putBack(target)
      for (const node of removedNodes) {
        const beside = [previousSibling, nextSibling].find(
          (one) => one !== null && added.has(one) && !standIns.has(one),
        )
        remember(node, {
          parent: target,
          next: nextSibling,
          standIn: addedNodes[0] ?? beside ?? undefined,
        })
        removed.add(node)
      }
      for (const node of addedNodes) {
        // A moved node left no replacement behind; a node that returns takes the position of its replacement.
        const standIn = removed.has(node) ? null : childFor(target, places.get(node)?.standIn)
        places.delete(node)
        if (standIn?.contains(node) === false) removeChild.call(target, standIn)
        for (const gone of removed) {
          const place = places.get(gone)
          if (place?.parent === target && place.next === nextSibling && place.standIn === undefined)
            remember(gone, { ...place, standIn: node })
        }
        added.add(node)
      }
    }
  }
  const observer = new MutationObserver(note)
  observer.observe(root, { childList: true, subtree: true })

  return {
    childFor,
    /** Processes pending mutations at once. */
    settle: () => note(observer.takeRecords()),
    end: () => observer.disconnect(),
  }
}
