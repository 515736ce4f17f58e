import { expect, it } from 'vitest'
import { read, sources } from '#test/support/source-tree.ts'

/** What vite.react.ts leaves out of React DOM, as a source would use it, each with an example. */
const LEFT_OUT: Readonly<Record<string, { readonly use: RegExp; readonly example: string }>> = {
  'markup from a server': {
    use: /\bhydrateRoot\b/,
    example: "import { hydrateRoot } from 'react-dom/client'",
  },
  'transitions between views': {
    use: /\b(ViewTransition|addTransitionType)\b/,
    example: "import { ViewTransition } from 'react'",
  },
  'references to fragments': { use: /<Fragment\b[^>]*\bref=/, example: '<Fragment key={id} ref={group}>' },
  'Activity, SuspenseList': {
    use: /\b(Activity|(unstable_)?SuspenseList)\b/,
    example: '<Activity mode="hidden">',
  },
  'actions of forms': {
    use: /\b(useActionState|useFormStatus|useFormState|requestFormReset)\b|<(form|button|input)\b[^>]*\b(formA|a)ction=\{/,
    example: '<form className="search" action={send}>',
  },
  'styles, scripts, links and parts of the document as components': {
    use: /\b(preconnect|prefetchDNS|preloadModule|preinit(Module)?)\b|<(title|meta|link|style|script|html|head|body)[\s/>](?!\[)/,
    example: '<title>{name}</title>',
  },
}

const web = sources.filter((file) => /^web\/.*\.tsx?$/.test(file))

it.each(Object.entries(LEFT_OUT))(
  'no source uses %s, which the build leaves out of React',
  (_, { use, example }) => {
    expect(example).toMatch(use)
    expect(web.length).toBeGreaterThan(100)
    expect(web.filter((file) => use.test(read(`src/${file}`)))).toEqual([])
  },
)
