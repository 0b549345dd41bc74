import type { DelegateScope } from '../../db/schema/projects.ts';

/** The kinds of credential a request can carry. Contract 01, section 1.3. */
export type CredentialKind =
  | 'nobody'
  | 'wallet'
  | 'control_plane'
  | 'operator'
  | 'delegate'
  | 'project_key'
  | 'voucher_issuer'
  | 'admin';

export interface CallerPrincipal {
  readonly id: string;
  readonly type: 'human' | 'agent' | 'ci';
  readonly displayName: string | null;
  readonly createdAt: Date;
}

export interface CallerAuthenticator {
  readonly id: string;
  readonly kind: string;
  readonly publicSubject: string;
}

interface PrincipalCaller {
  readonly principal: CallerPrincipal;
  readonly authenticator: CallerAuthenticator | null;
}

/** No credential at all. */
export interface NobodyCaller {
  readonly kind: 'nobody';
}

/** A signed wallet message: fresh by nature, good for any change its principal may make. */
export interface WalletCaller extends PrincipalCaller {
  readonly kind: 'wallet';
  readonly address: string;
  /** Spends the signature's nonce, once; a second spending anywhere is refused. @throws INVALID_AUTH */
  readonly spendNonce: () => Promise<void>;
}

/** A human's session: `control_plane` may write (high-stakes changes want step-up), `operator` only reads. */
export interface SessionCaller extends PrincipalCaller {
  readonly kind: 'control_plane' | 'operator';
  readonly sessionId: string;
  readonly email: string | null;
  readonly provenance: string;
  /** Sign-in method to the second of its last proof. */
  readonly amrTimes: Readonly<Record<string, number>>;
  readonly expiresAt: Date;
  /** The second at which it was looked up, by the database's clock, as the proofs above were noted. */
  readonly askedAt: number;
}

/** A bearer that narrows one project grant. */
export interface DelegateCaller extends PrincipalCaller {
  readonly kind: 'delegate';
  readonly delegateId: string;
  /** The hash its token is kept under: another one after a rotation. */
  readonly tokenHash: string;
  readonly orgId: string;
  /** Projects it may touch. */
  readonly projectIds: readonly string[];
  readonly scope: DelegateScope;
  readonly expiresAt: Date | null;
}

/** A project's anon or service key, or a credential that grants the same. */
export interface ProjectKeyCaller {
  readonly kind: 'project_key';
  readonly role: 'anon' | 'service_role';
  readonly projectId: string;
  readonly orgId: string;
  /** The credential, `pcr_…`; undefined for the two keys and for a token. */
  readonly credentialId?: string | undefined;
  /** Null for never. */
  readonly expiresAt: Date | null;
}

/** A program that may make vouchers, and nothing else. */
export interface VoucherIssuerCaller {
  readonly kind: 'voucher_issuer';
  readonly issuerId: string;
}

/** The holder of the platform's admin key. */
export interface AdminCaller {
  readonly kind: 'admin';
}

/** Who a request comes from, resolved once per request. */
export type Caller =
  | NobodyCaller
  | WalletCaller
  | SessionCaller
  | DelegateCaller
  | ProjectKeyCaller
  | VoucherIssuerCaller
  | AdminCaller;

/** A caller that acts as a principal. */
export type PrincipalBacked = WalletCaller | SessionCaller | DelegateCaller;

export const isPrincipal = (caller: Caller): caller is PrincipalBacked => 'principal' in caller;

/** The principal that a caller acts as; null for keys, the platform admin and callers without a credential. */
export const principalIdOf = (caller: Caller): string | null => (isPrincipal(caller) ? caller.principal.id : null);

/**
 * The lasting identity of a caller, whatever credential it used: the scope of its idempotency keys and rate limits.
 *
 * @param address identifies a caller without a credential; for rate limits, the network
 */
export function callerKey(caller: Caller, address: string): string {
  if (isPrincipal(caller)) return caller.principal.id;
  if (caller.kind === 'project_key') return `key:${caller.projectId}:${caller.role}`;
  if (caller.kind === 'voucher_issuer') return `issuer:${caller.issuerId}`;
  return caller.kind === 'admin' ? 'admin' : `address:${address}`;
}

/**
 * The very credential of a caller, where {@link callerKey} tells its principal: one session from another, and one wallet
 * from another. What a request is signed or renewed with makes no other one.
 */
export function holderOf(caller: Caller): string | undefined {
  switch (caller.kind) {
    case 'wallet':
      return `wallet:${caller.address.toLowerCase()}`;
    case 'control_plane':
    case 'operator':
      return `session:${caller.sessionId}`;
    case 'delegate':
      return `delegate:${caller.delegateId}:${caller.tokenHash}`;
    case 'project_key':
      return caller.credentialId === undefined ? callerKey(caller, '') : `credential:${caller.credentialId}`;
    case 'voucher_issuer':
    case 'admin':
      return callerKey(caller, '');
    case 'nobody':
      return undefined;
  }
}
