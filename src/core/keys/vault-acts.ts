import type { Serial } from '#base/serial.ts'
import type { Bytes } from '#base/bytes.ts'
import { err, ok, type Result } from '#base/result.ts'
import { isPassphrase } from './key-store.ts'
import {
  grantKey,
  keepKey,
  knownFamilyOf,
  knownGrants,
  listKeys,
  lockVaults,
  openHeldVault,
  reloadKeys,
  renewVault,
  vaultOf,
  type HeldKeys,
  type KeepProblem,
  type KeyInfo,
} from './held-keys.ts'
import {
  addPasskey,
  changePassphrase,
  movableVault,
  openVault,
  withoutPasskey,
  type OpenProblem,
  type NewPasskey,
  type VaultPorts,
  type VaultSecret,
  readVaultFile,
  type Vault,
  type VaultProblem,
} from './vault.ts'
import type { Service } from '#settings/schema.ts'
import { commonGrants, isGranted, withGrant, type SigningGrant } from '#signing/signing-grant.ts'

/** `no-vault`: there is no key with this public key in a vault. */
export type UnlockProblem = OpenProblem | 'no-vault'
export type SlotProblem = UnlockProblem | 'passphrase-short' | 'too-many' | 'not-kept'
/**
 * `exists`: the key is here already, and nobody said that what is here may be replaced. `chain-key`:
 * here it is known as the key of a chain, and the file would have it taken for any other.
 */
export type MoveProblem = VaultProblem | OpenProblem | KeepProblem | 'not-secure' | 'exists' | 'chain-key'

/** What can be done with vaults. Every secret given is zero afterwards, whatever came of it. */
export type VaultActs = {
  /** Lets go of every key that has a vault. At once: not behind other work. */
  readonly lock: () => void
  readonly vaultCounts: () => Promise<{ readonly open: number; readonly locked: number }>
  readonly unlock: (publicKey: string, secret: VaultSecret) => Promise<Result<KeyInfo, UnlockProblem>>
  readonly changePassphrase: (
    publicKey: string,
    secret: VaultSecret,
    passphrase: Bytes,
  ) => Promise<Result<KeyInfo, SlotProblem>>
  readonly addPasskey: (
    publicKey: string,
    secret: VaultSecret,
    passkey: NewPasskey,
  ) => Promise<Result<KeyInfo, SlotProblem>>
  readonly removePasskey: (publicKey: string, credentialId: string) => Promise<Result<KeyInfo, SlotProblem>>
  /** The text of a file that opens with the passphrase, for moving the key to another computer. */
  readonly exportVault: (publicKey: string) => Promise<Result<string, 'no-vault'>>
  /** Takes such a file. It has to open now, so that nothing unusable is kept. With `replace` also in the place of the same key. */
  readonly importVault: (
    file: Uint8Array,
    passphrase: Bytes,
    label: string,
    replace?: boolean,
    services?: readonly Service[],
  ) => Promise<Result<KeyInfo, MoveProblem>>
  /**
   * Has a key sign for this service as it is. A key in a vault takes its secret for it: no script
   * in the page can widen what an open vault signs for.
   */
  readonly grant: (
    publicKey: string,
    service: Service,
    secret?: VaultSecret,
  ) => Promise<Result<KeyInfo, GrantProblem>>
  /** Whether this is the secret of one of the vaults here. */
  readonly isSecretOf: (publicKey: string, secret: VaultSecret) => Promise<boolean>
}

export type GrantProblem = 'no-key' | 'needs-secret' | 'not-kept' | OpenProblem

type Wiring = {
  readonly held: HeldKeys
  readonly inTurn: Serial
  readonly ports: VaultPorts & { readonly cryptography: string; readonly wallMs: () => number }
}

export function createVaultActs({ held, inTurn, ports }: Wiring): VaultActs {
  /** Counts lockings: what was being opened when one came must not be open after it. */
  let lockings = 0

  const rewrite = (
    publicKey: string,
    secrets: readonly Uint8Array[],
    change: (vault: Vault) => Promise<Result<Vault, OpenProblem | 'passphrase-short' | 'too-many'>>,
  ): Promise<Result<KeyInfo, SlotProblem>> =>
    inTurn(() =>
      zeroing(secrets, async () => {
        const vault = vaultOf(held, publicKey)
        if (vault === undefined) return err('no-vault')
        const changed = await change(vault)
        return changed.ok ? renewVault(held, changed.value) : changed
      }),
    )

  return {
    lock: () => {
      lockings++
      lockVaults(held)
    },
    vaultCounts: async () => {
      const vaults = listKeys(held).filter(({ custody }) => custody === 'vault')
      const locked = vaults.filter((vault) => vault.locked === true).length
      return { open: vaults.length - locked, locked }
    },
    unlock: (publicKey, secret) =>
      inTurn(async () => {
        const before = lockings
        const opened = await zeroing([bytesOf(secret)], () => unlock(held, ports, publicKey, secret))
        if (!opened.ok || before === lockings) return opened
        lockVaults(held)
        return ok({ ...opened.value, locked: true })
      }),
    changePassphrase: (publicKey, secret, passphrase) =>
      rewrite(publicKey, [bytesOf(secret), passphrase], async (vault) =>
        isPassphrase(passphrase)
          ? changePassphrase(vault, secret, passphrase, ports)
          : err('passphrase-short'),
      ),
    addPasskey: (publicKey, secret, passkey) =>
      rewrite(publicKey, [bytesOf(secret), passkey.secret], (vault) =>
        addPasskey(vault, secret, passkey, ports),
      ),
    removePasskey: (publicKey, credentialId) =>
      rewrite(publicKey, [], async (vault) => ok(withoutPasskey(vault, credentialId))),
    exportVault: (publicKey) =>
      inTurn(async () => {
        const vault = vaultOf(held, publicKey)
        return vault === undefined ? err('no-vault') : ok(JSON.stringify(movableVault(vault), undefined, 2))
      }),
    importVault: (file, passphrase, label, replace = false, services = []) =>
      inTurn(() =>
        zeroing([passphrase], () => takeIn(held, ports, { file, passphrase, label, replace, services })),
      ),
    ...grantActs({ held, inTurn, ports }),
  }
}

const grantActs = ({ held, inTurn, ports }: Wiring): Pick<VaultActs, 'grant' | 'isSecretOf'> => ({
  grant: (publicKey, service, secret) =>
    inTurn(() =>
      zeroing(secret === undefined ? [] : [bytesOf(secret)], () =>
        grant(held, ports, { publicKey, service, secret }),
      ),
    ),
  isSecretOf: (publicKey, secret) =>
    inTurn(() =>
      zeroing([bytesOf(secret)], async () => {
        const vault = vaultOf(held, publicKey)
        return vault !== undefined && (await openVault(vault, secret, ports)).ok
      }),
    ),
})

type Grant = {
  readonly publicKey: string
  readonly service: Service
  readonly secret: VaultSecret | undefined
}

async function grant(
  held: HeldKeys,
  ports: VaultPorts,
  { publicKey, service, secret }: Grant,
): Promise<Result<KeyInfo, GrantProblem>> {
  await reloadKeys(held)
  if (knownFamilyOf(held, publicKey) === undefined) return err('no-key')
  const vault = vaultOf(held, publicKey)
  const isTrusted = knownGrants(held, publicKey).isTrusted
  if (vault === undefined || (isTrusted && isGranted(knownGrants(held, publicKey).grants, service))) {
    const granted = await grantKey(held, publicKey, [service])
    return granted.ok ? granted : err('not-kept')
  }
  if (secret === undefined) return err('needs-secret')
  const opened = await openVault(vault, secret, ports, (sealed) =>
    withGrant(grantsInForce(held, publicKey, sealed), service),
  )
  if (!opened.ok) return opened
  const granted = await renewVault(held, opened.value.vault, opened.value.grants)
  return granted.ok ? granted : err('not-kept')
}

/** What is sealed, without what was taken back since: that takes no secret, and storage says it. */
function grantsInForce(
  held: HeldKeys,
  publicKey: string,
  sealed: readonly SigningGrant[],
): readonly SigningGrant[] {
  const { grants, isTrusted } = knownGrants(held, publicKey)
  return isTrusted ? grants : commonGrants(sealed, grants)
}

async function unlock(
  held: HeldKeys,
  ports: VaultPorts,
  publicKey: string,
  secret: VaultSecret,
): Promise<Result<KeyInfo, UnlockProblem>> {
  await reloadKeys(held)
  const vault = vaultOf(held, publicKey)
  if (vault === undefined) return err('no-vault')
  const opened = await openVault(vault, secret, ports, (sealed) => grantsInForce(held, publicKey, sealed))
  if (!opened.ok) return opened
  const { key, vault: current, grants } = opened.value
  const kept = await renewVault(held, current, grants, key)
  if (kept.ok) return kept
  // What could not be written is written next time; the key is open all the same, for what is sealed.
  const info = openHeldVault(held, publicKey, grants, key)
  return info === undefined ? err('no-vault') : ok(info)
}

type VaultFile = {
  readonly file: Uint8Array
  readonly passphrase: Bytes
  readonly label: string
  readonly replace: boolean
  readonly services: readonly Service[]
}

async function takeIn(
  held: HeldKeys,
  ports: Wiring['ports'],
  { file, passphrase, label, replace, services }: VaultFile,
): Promise<Result<KeyInfo, MoveProblem>> {
  if (ports.cryptography !== 'webcrypto') return err('not-secure')
  const vault = readVaultFile(file)
  if (!vault.ok) return vault
  await reloadKeys(held) // another signer of this browser may have brought it
  // Asked before the passphrase is put to work: a second or more is long for nothing.
  const family = knownFamilyOf(held, vault.value.publicKey)
  // What the key once came as, it stays; the file's own word for it is sealed in and can't be changed here.
  if (family === 'chain' && vault.value.family === 'plain') return err('chain-key')
  if (!replace && family !== undefined) return err('exists')
  const opened = await openVault(vault.value, { kind: 'passphrase', passphrase }, ports, () =>
    services.reduce(withGrant, NO_GRANTS),
  )
  if (!opened.ok) return opened
  const { key, vault: current, grants } = opened.value
  return keepKey(held, key, { custody: 'vault', vault: current, grants }, label, ports.wallMs())
}

const NO_GRANTS: readonly SigningGrant[] = []

async function zeroing<T>(secrets: readonly Uint8Array[], work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } finally {
    for (const secret of secrets) secret.fill(0)
  }
}

const bytesOf = (secret: VaultSecret): Uint8Array =>
  secret.kind === 'passphrase' ? secret.passphrase : secret.secret
