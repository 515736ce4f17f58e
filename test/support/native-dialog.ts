/**
 * jsdom has <dialog> but neither shows nor closes it. This gives it the part that components
 * see: the open attribute, and a close event. Focus and Escape are the browser's and are
 * tested in one.
 */
export function installDialog(): void {
  HTMLDialogElement.prototype.showModal = function showModal() {
    this.setAttribute('open', '')
  }
  HTMLDialogElement.prototype.close = function close() {
    if (!this.hasAttribute('open')) return
    this.removeAttribute('open')
    this.dispatchEvent(new Event('close'))
  }
}
