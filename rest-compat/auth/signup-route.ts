import { signup } from '../../resolvers/auth/signup.ts';
import { authRoute } from './auth-route.ts';

/** Contract 01, section 3.2. */
export const signupRoute = authRoute('POST', '/auth/v1/signup', 201, signup, {
  data: ['body data', 'body user_metadata'],
});
