import { LogIn } from 'lucide-react';
import type { ReactNode } from 'react';
import { Button } from '../design/button.tsx';
import { Toasts } from '../design/toast.tsx';
import { go } from '../router.tsx';
import { Frame } from './frame.tsx';
import { installationSection } from './sections.ts';

/** Pages that the admin key alone opens: whoever sets a gateway up has it before anybody can sign in. */
export const opensByKey = (path: string): boolean => path === '/installation' || path.startsWith('/installation/');

const around = {
  place: { kind: 'installation' },
  project: undefined,
  organization: undefined,
  sections: [{ ...installationSection, items: installationSection.items.filter(({ to }) => opensByKey(to)) }],
} as const;

/** The frame of the installation's pages for somebody who is not signed in. */
export const OperatorFrame = ({ children }: { readonly children: ReactNode }) => (
  <>
    <Frame
      around={around}
      home="Sign-in page"
      bar={
        <span className="to-sign-in">
          <Button icon={LogIn} small onPress={() => go('/')}>
            Sign in
          </Button>
        </span>
      }
    >
      {children}
    </Frame>
    <Toasts />
  </>
);
