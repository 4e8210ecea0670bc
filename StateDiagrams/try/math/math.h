// The functions of the C library's libm that LocoKit calls.
double asin(double), atan2(double, double), cos(double), erfc(double), exp(double), hypot(double, double), log(double), log10(double),
    pow(double, double), sin(double);
float atan2f(float, float), cosf(float), log10f(float), sinf(float);
