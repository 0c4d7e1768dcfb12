// element/hencky2.h -- the logarithmic strain of a surface, its first and second derivatives,
// without eigenvectors.
//
// E is the Green-Lagrange strain (11, 22, 2*12) in an orthonormal frame; e = 1/2 ln(1 + 2 E), shear
// doubled too. With m = 1 + E11 + E22, p = E11 - E22, r = 2 E12 the eigenvalues of C are
// m +- sqrt(p^2 + r^2), so that e11 + e22 = f and (e11 - e22, 2 e12) = G (p, r) with functions f, G
// of m and q = p^2 + r^2 only.

#ifndef ELEMENT_HENCKY2_H
#define ELEMENT_HENCKY2_H

typedef struct {
  double e[3];
  double p, r, g;
  double f_m, f_q, f_mm, f_mq, f_qq;
  double g_m, g_q, g_mm, g_mq, g_qq;
} Hencky2;

// 0: C is not positive definite.
int hencky2(const double E[3], Hencky2 *h);

// From the stress t conjugate to e and, unless d is NULL, its derivative d = dt/de (symmetric) to
// the second Piola-Kirchhoff stress s and ds/dE.
void hencky2_stress(const Hencky2 *h, const double t[3], const double *d, double s[3], double *ds);

#endif
