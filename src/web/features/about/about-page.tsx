import { hrefOf, SETTINGS_PATH } from '#react/routes.ts'
import { aboutTexts as words } from '#texts/en-about.ts'
import { settingsTexts } from '#texts/en-settings.ts'
import { Columns, Page, PageHead } from '#ui/page.tsx'
import { KeptWhere } from './kept-where.tsx'
import { Packages } from './packages.tsx'
import { Product } from './product.tsx'
import { SelfTests } from './self-tests.tsx'
import { SignerFacts } from './signer-facts.tsx'

/** What this product is, whether its parts work, and what it keeps where. */
export const AboutPage = () => (
  <Page>
    <PageHead
      crumb={
        <>
          <a href={hrefOf(SETTINGS_PATH)}>{settingsTexts.title}</a> /
        </>
      }
      title={words.title}
    />
    <Columns
      main={
        <>
          <SelfTests />
          <KeptWhere />
        </>
      }
      side={
        <>
          <Product />
          <SignerFacts />
          <Packages />
        </>
      }
    />
  </Page>
)
