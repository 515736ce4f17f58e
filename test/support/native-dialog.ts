/**
 * jsdom parses <dialog> but cannot open or close it. This adds the part that components use: the open attribute and a
 * close event. Focus and Escape are the browser's work; browser tests check them.
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
