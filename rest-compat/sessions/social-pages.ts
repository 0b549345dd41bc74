import { execute } from '../../kernel/run/execute.ts';
import { readCookie } from '../../resolvers/sessions/browser-session.ts';
import { beginOauth, finishOauth, linkOauth, oauthCookie, oauthCookieName } from '../../resolvers/sessions/oauth.ts';
import { asNobody, type Route, route } from '../route.ts';
import { byBrowser, cookiesOf } from './by-browser.ts';
import { accountPath, goOn, keepAndGoOn, pageRoute, plane, seeOther, wayOn } from './page-parts.ts';

const link = byBrowser(route('POST', `${plane}/oauth/:provider/link`, 200, linkOauth));

/** Sign-in of people by a social account, where the operator configured one. Contract 01, section 5.14. */
export const socialRoutes: readonly Route[] = [
  pageRoute('GET', `${plane}/oauth/:provider/start`, beginOauth.name, async (ctx, { params, query }) => {
    const input = { provider: params.provider!, return_to: wayOn(query.return_to) };
    const { url, browser } = await execute(beginOauth, asNobody(ctx), input);
    return { ...seeOther(url, oauthCookie(browser, 600)), status: 302 };
  }),
  {
    ...pageRoute('GET', `${plane}/oauth/:provider/callback`, finishOauth.name, async (ctx, request) => {
      const { params, query } = request;
      const browser = readCookie(cookiesOf(request), oauthCookieName);
      const outcome = await execute(finishOauth, asNobody(ctx), { provider: params.provider!, query, browser });
      if (outcome.kind === 'linked') return goOn(accountPath, oauthCookie('', 0));
      return keepAndGoOn(ctx, request, outcome.session, wayOn(outcome.returnTo));
    }),
    singleUse: true,
  },
  link,
];
