import { KeyRound, TriangleAlert, Wallet } from 'lucide-react';
import { useEffect, useState } from 'react';
import { Button } from './design/button.tsx';
import { Loading } from './design/loaded.tsx';
import { ThemeSelect } from './frame/theme-select.tsx';
import { isReplaced, loadCode } from './load-code.ts';
import { useTitle } from './router.tsx';
import { enter, leave, type Session, wasKey } from './session/session.ts';
import { type FoundWallet, findWallets, walletSigner } from './session/wallets.ts';
import type { Settings } from './settings.ts';
import './sign-in.css';
import { SignInPerson, wordsOf } from './sign-in-person.tsx';
import { useStore } from './store.ts';

interface SignInProps {
  readonly session: Extract<Session, { state: 'out' }>;
  readonly settings: Settings;
}

/** The sign-in page: as a person, with a wallet, or in development with a key that the page generates. */
export function SignIn({ session, settings }: SignInProps) {
  useTitle('Sign in');
  const [wallets, setWallets] = useState<readonly FoundWallet[]>();
  const [busy, setBusy] = useState(() => settings.throwAwayKeys && wasKey());
  const [failed, setFailed] = useState<string>();
  const isGone = useStore(isReplaced);
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
      const { throwAwaySigner } = await loadCode(() => import('./session/throw-away-key.ts'));
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
      <div className="gate-head">
        <img src="/console/favicon.svg" alt="" />
        <h1>{returning === undefined ? 'Sign in' : 'Welcome back'}</h1>
        <p className="quiet">There is no password. A passkey, a mailed link or a wallet lets you in.</p>
      </div>
      {why !== undefined && (
        <p className="gate-refused" role="alert">
          <TriangleAlert className="icon" aria-hidden="true" />
          <span>{why}</span>
        </p>
      )}
      {isGone && <Button onPress={() => location.reload()}>Load it again</Button>}
      {waiting && <Loading />}
      {/* Remains mounted while it waits, so that the typed text is kept. */}
      <div className="gate-ways" hidden={waiting}>
        {byReturning.map((wallet) => (
          <Button key={wallet.id} variant="primary" icon={Wallet} onPress={() => void byWallet(wallet)}>
            Sign and go on with {wallet.name}
          </Button>
        ))}
        <SignInPerson
          person={person}
          isFirst={byReturning.length === 0}
          isCover={session.waiting !== undefined}
          sendsMail={settings.sendsMail}
          attempt={attempt}
        />
        <section className="gate-way" aria-labelledby="by-wallet">
          <h2 id="by-wallet">With a wallet</h2>
          {wallets
            ?.filter((wallet) => !byReturning.includes(wallet))
            .map((wallet) => (
              <Button key={wallet.id} icon={Wallet} onPress={() => void byWallet(wallet)}>
                Sign in with {wallet.name}
              </Button>
            ))}
          <p className="quiet small">
            {wallets?.length === 0
              ? 'This browser has no wallet. A wallet that supports EIP-1193 appears here as soon as you install it.'
              : 'The wallet signs one short text. Nothing is paid, and nothing is sent to a chain.'}
          </p>
        </section>
        {settings.throwAwayKeys && (
          <section className="gate-way" aria-labelledby="by-key">
            <h2 id="by-key">For development</h2>
            <Button icon={KeyRound} onPress={() => void byKey()}>
              Use a throw-away key
            </Button>
            <p className="quiet small">
              The key is made here and kept in this browser alone, until its data is cleared.
            </p>
          </section>
        )}
        {returning !== undefined && (
          <Button variant="quiet" onPress={() => leave()}>
            Use another account
          </Button>
        )}
      </div>
      {wallets !== undefined && <ThemeSelect />}
    </main>
  );
}
