import './wallet.css';
import { CopyButton } from './code.tsx';
import { shortId } from './wallet.tsx';

/** A person or a program that signs in. */
export interface PrincipalLike {
  readonly principalId: string;
  readonly displayName?: string | null;
  readonly wallet?: string | null;
}

/** Its name for people, the same on every page: the display name, else the short wallet, else the short id. */
export const principalName = ({ displayName, wallet, principalId }: PrincipalLike): string =>
  displayName ?? shortId(wallet ?? principalId);

interface PrincipalProps {
  readonly who: PrincipalLike;
  /** A button copies the whole wallet or id. @default false */
  readonly copies?: boolean;
}

/** A principal by its name. The whole wallet or id is a tooltip. */
export function Principal({ who, copies = false }: PrincipalProps) {
  const whole = who.wallet ?? who.principalId;
  return (
    <span className="wallet">
      <bdi title={whole}>{principalName(who)}</bdi>
      {copies && (
        <CopyButton
          what={`the ${who.wallet == null ? 'id' : 'address'} of ${principalName(who)}`}
          text={whole}
          isIcon
        />
      )}
    </span>
  );
}
