import { useEffect, useState } from 'react';
import { Loading } from './parts/loaded.tsx';
import { ThemeSwitch } from './parts/theme-switch.tsx';
import { useTitle } from './router.tsx';
import { enter, leave, type Session, wasKey } from './session/session.ts';
import { type FoundWallet, findWallets, walletSigner } from './session/wallets.ts';
import type { Settings } from './settings.ts';
import { SignInPerson, wordsOf } from './sign-in-person.tsx';

interface SignInProps {
  readonly session: Exclude<Session, { state: 'in' }>;
  readonly settings: Settings;
}

/** The sign-in page: as a person, with a wallet, or in development with a key that the page generates. */
export function SignIn({ session, settings }: SignInProps) {
  useTitle('Sign in');
  const [wallets, setWallets] = useState<readonly FoundWallet[]>();
  const [busy, setBusy] = useState(() => settings.throwAwayKeys && wasKey());
  const [failed, setFailed] = useState<string>();
  // A broken extension counts as no wallet and blocks nothing.
  useEffect(() => void findWallets().then(setWallets, () => setWallets([])), []);

  const attempt = async (how: () => Promise<void>) => {
    setBusy(true);
    setFailed(undefined);
    try {
      await how();
    } catch (refused) {
      setFailed(wordsOf(refused));
    }
    setBusy(false);
  };
  const byWallet = (wallet: FoundWallet) => attempt(async () => enter(await walletSigner(wallet), wallet.id));
  const byKey = () =>
    attempt(async () => {
      const { throwAwaySigner } = await import('./session/throw-away-key.ts');
      await enter(await throwAwaySigner(), 'key');
    });
  // biome-ignore lint/correctness/useExhaustiveDependencies: once, when the console is opened by who was in before.
  useEffect(() => {
    if (busy) void byKey();
  }, []);

  const { walletId: returning, person } = session;
  const why = failed ?? session.why;
  const byReturning = wallets?.filter(({ id }) => id === returning) ?? [];
  // The buttons wait for the wallets: a late one would move a button from under the pointer.
  const waiting = busy || wallets === undefined;
  return (
    <main className="gate">
      <div className="stack">
        <p className="brand">
          <img src="/console/favicon.svg" alt="" />
          Console
        </p>
        <h1>{returning === undefined ? 'Sign in' : 'Welcome back'}</h1>
        <p className="quiet">
          There is no password. As a person you need a passkey or a mail address, or else a wallet.
        </p>
      </div>
      {why !== undefined && (
        <p className="note bad" role="alert">
          {why}
        </p>
      )}
      {waiting && <Loading />}
      {/* Remains mounted while it waits, so that the typed text is kept. */}
      <div className="choices" hidden={waiting}>
        {byReturning.map((wallet) => (
          <button type="button" key={wallet.id} className="main" onClick={() => void byWallet(wallet)}>
            Sign and go on with {wallet.name}
          </button>
        ))}
        <h2>As a person</h2>
        <SignInPerson person={person} sendsMail={settings.sendsMail} attempt={attempt} />
        <h2>With a wallet</h2>
        <p className="quiet small">
          It signs one short text, which opens one connection; all you read and change goes by it, and nothing is paid.
          When the connection is lost or the page is loaded anew, it signs again.
        </p>
        {wallets
          ?.filter((wallet) => !byReturning.includes(wallet))
          .map((wallet) => (
            <button type="button" key={wallet.id} onClick={() => void byWallet(wallet)}>
              Sign in with {wallet.name}
            </button>
          ))}
        {wallets?.length === 0 && (
          <p className="note">This browser has no wallet. One that speaks EIP-1193 shows up here by itself.</p>
        )}
        {settings.throwAwayKeys && (
          <>
            <button type="button" onClick={() => void byKey()}>
              Use a throw-away key
            </button>
            <p className="quiet small">
              For development: the key is made here and kept in this browser alone. Whoever clears the browser’s data
              clears it, too.
            </p>
          </>
        )}
        {returning !== undefined && (
          <button type="button" className="plain" onClick={() => leave()}>
            Sign in as somebody else
          </button>
        )}
      </div>
      {wallets !== undefined && <ThemeSwitch />}
    </main>
  );
}
