import { useEffect } from 'react';
import { Dialog } from 'react-aria-components/Dialog';
import { Modal, ModalOverlay } from 'react-aria-components/Modal';
import { Provider } from 'urql';
import { Boundary } from './design/boundary.tsx';
import { Away } from './frame/away.tsx';
import { OperatorFrame, opensByKey } from './frame/operator-frame.tsx';
import { Shell } from './frame/shell.tsx';
import { addressOf, pageOf } from './pages.tsx';
import { go, usePath } from './router.tsx';
import { idOf, session, wasKey } from './session/session.ts';
import { settings } from './settings.ts';
import { SignIn } from './sign-in.tsx';
import { useStore } from './store.ts';

/** The root component of the console: the sign-in page or, to a signed-in member, the page of the address. */
export function App() {
  const current = useStore(session);
  const known = useStore(settings);
  const path = usePath();
  const address = addressOf(path);
  useEffect(() => {
    if (address !== path) go(address + location.search, { replace: true });
  }, [address, path]);
  if (current.state === 'away') return <Away retry={current.retry} />;
  if (current.state === 'out' && current.waiting === undefined)
    return opensByKey(address) && !wasKey() ? (
      <OperatorFrame>
        <Boundary key={path}>{pageOf(address)}</Boundary>
      </OperatorFrame>
    ) : (
      <SignIn session={current} settings={known} />
    );
  const shown = current.state === 'in' ? current : current.waiting!;
  const { member, link } = shown;
  return (
    <Provider key={idOf(member)} value={link.client}>
      <Shell member={member} link={link} settings={known} path={path}>
        {/* Remounted for each page: an error of one page does not affect the next. */}
        <Boundary key={path}>{pageOf(path)}</Boundary>
      </Shell>
      {/* The page stays where it is behind it, with all that was typed. */}
      <ModalOverlay className="sign-in-cover" isOpen={current.state === 'out'} isKeyboardDismissDisabled>
        <Modal>
          <Dialog aria-label="Sign in">
            {current.state === 'out' && <SignIn session={current} settings={known} />}
          </Dialog>
        </Modal>
      </ModalOverlay>
    </Provider>
  );
}
