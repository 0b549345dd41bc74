import './wallet.css';
import { CopyButton } from './code.tsx';

/** The short form of an address or another long id. */
export const shortId = (id: string): string => (id.length <= 14 ? id : `${id.slice(0, 6)}…${id.slice(-4)}`);

interface WalletProps {
  readonly address: string;
  /** Names the address for screen readers: “Copy” and this. @default 'the address' and its short form */
  readonly what?: string;
}

/** A long id in its short form; the whole of it is a tooltip, and a button copies it. */
export const Wallet = ({ address, what = `the address ${shortId(address)}` }: WalletProps) => (
  <span className="wallet">
    <code title={address}>{shortId(address)}</code>
    <CopyButton what={what} text={address} isIcon />
  </span>
);
