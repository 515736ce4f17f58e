/** A key of the keyboard, as it is printed on it. */
export const KeyHint = ({ children }: { readonly children: string }) => <kbd className="kbd">{children}</kbd>
