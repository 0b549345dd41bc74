/** A wallet that is asked by way of relays (NIP-47). */
export interface NwcConnection {
  /** Public key of the wallet, in hexadecimal digits. */
  readonly wallet: string;
  /** Key that this side signs with, in hexadecimal digits. */
  readonly secret: string;
  /** One or more `ws` or `wss` URLs. */
  readonly relays: readonly string[];
}

const hex = /^[0-9a-f]{64}$/;

/** Reads `nostr+walletconnect://<wallet>?relay=wss://…&secret=…`. @returns undefined for any other text */
export function readNwcConnection(text: string): NwcConnection | undefined {
  const [, wallet, query] = /^nostr\+walletconnect:(?:\/\/)?([^/?#]+)\/?\?([^#]+)$/.exec(text) ?? [];
  if (wallet === undefined || !hex.test(wallet)) return undefined;
  const given = new URLSearchParams(query);
  const [secret, relays] = [given.get('secret') ?? '', given.getAll('relay')];
  if (
    !hex.test(secret) ||
    relays.length === 0 ||
    !relays.every((relay) => /^wss?:\/\/[^/]/.test(relay) && URL.parse(relay) !== null)
  )
    return undefined;
  return { wallet, secret, relays };
}
